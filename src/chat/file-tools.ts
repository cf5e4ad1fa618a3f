/** The file tools in a chat: their work folder is the project; runs, their agreement and the configuration are not theirs to write. */
import { relative, sep } from 'node:path';
import type { Folders } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Tool } from '../core/tool.js';
import { resolveInside } from '../files/jail.js';
import { answering, failure, text } from '../tools/access.js';

/** As they work here. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  read_file:
    'Read a UTF-8 text file of the project. Returns numbered lines, at most 64 KB; of a longer file the start and the end.',
  list_files:
    'List the files below a folder of the project, sorted, with sizes in bytes; names that begin with a dot are left out.',
  search_files: 'Find the lines of the project that hold a text.',
  write_file: 'Write a whole text file (UTF-8) in the project, replacing what was there; folders are made.',
};

/** @param tools those of a step */
export function fileTools(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    const { name } = tool.spec;
    return {
      ...tool,
      spec: { ...tool.spec, description: DESCRIPTIONS[name] ?? tool.spec.description },
      execute: (args, context) =>
        answering(name, async () => {
          const { project } = context.folders;
          const why = tool.effect === 'write' ? protectedHere(project, text(args, 'path')) : undefined;
          if (why) return failure(name, `${text(args, 'path')} may not be written: ${why}.`);
          return tool.execute(args, { ...context, folders: inProject(context.folders, name) });
        }),
    };
  });
}

/** Long results of earlier calls lie in the chat's own folder, where only `read_file` looks for them. */
function inProject(folders: Folders, tool: string): Folders {
  const { project, work } = folders;
  return { ...folders, work: project, skill: project, run: tool === 'read_file' ? work : project };
}

const CONFIGURATION = /^pipeline\.config\.ya?ml$/i;

/** Why no tool of a chat writes there, or undefined. @param path as a model wrote it */
export function protectedHere(project: string, path: string): string | undefined {
  const [first = '', ...rest] = below(project, path);
  if (first.toLowerCase() === 'skill_run') return 'the folders of runs are read-only for tools';
  if (rest.length > 0) return undefined;
  if (CONFIGURATION.test(first)) return 'only a person changes the configuration';
  if (first.toLowerCase() === 'skills-lock.json') return 'it says what a person agreed to';
  return undefined;
}

/** The parts of the path below the project; none if it leads elsewhere, which the tool itself refuses. */
function below(project: string, path: string): string[] {
  try {
    return relative(resolveInside(project, '.'), resolveInside(project, path)).split(sep);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}
