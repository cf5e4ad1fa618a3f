/** The tool `list_files`: what is there to read, with sizes. */
import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Tool } from '../core/tool.js';
import { openFolder } from '../files/folder.js';
import { compileGlob } from '../files/glob.js';
import { answering, count, failure, text } from './access.js';
import { filesAt, foldersAt, type Place, seenFrom } from './places.js';

const NAME = 'list_files';
const DEFAULT_LIMIT = 500;

export const listFilesTool: Tool = {
  spec: {
    name: NAME,
    description:
      'List the files below a folder, sorted, with sizes in bytes. A relative folder is listed in the work folder, the run folder ' +
      'and the skill folder, wherever it exists.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The folder; "." unless given.' },
        pattern: {
          type: 'string',
          description: 'A glob over the paths below it, e.g. "**/*.md"; everything unless given.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 5_000,
          description: `Files to list; ${DEFAULT_LIMIT} unless given.`,
        },
      },
      additionalProperties: false,
    },
  },
  effect: 'none',
  execute: (args, context) =>
    answering(NAME, async () => {
      const path = text(args, 'path') || '.';
      const matches = args.pattern === undefined ? () => true : compileGlob(text(args, 'pattern'), true);
      const limit = count(args, 'limit') ?? DEFAULT_LIMIT;
      const sections: string[] = [];
      for (const folder of foldersAt(context, path)) {
        const files = await filesAt(context, folder);
        sections.push(
          section(
            folder,
            files.filter((file) => matches(seenFrom(folder, file))),
            limit,
          ),
        );
      }
      if (sections.length === 0)
        return failure(NAME, `${JSON.stringify(path)} is not a folder.`, 'Read a file with read_file.');
      return { type: 'text', text: sections.join('\n\n') };
    }),
};

function section(folder: Place, files: readonly string[], limit: number): string {
  const shown = files.slice(0, limit);
  const sizes = sizesOf(folder.root, shown);
  const lines = shown.map((file) => `${String(sizes.get(file) ?? '?').padStart(10)}  ${seenFrom(folder, file)}`);
  const more =
    files.length > limit ? [`[${files.length - limit} more files; narrow with pattern, or raise limit]`] : [];
  return [`${folder.title}: ${files.length} file${files.length === 1 ? '' : 's'}`, ...lines, ...more].join('\n');
}

/** In bytes; without a file that is gone by now. Each folder is opened once. */
function sizesOf(root: string, files: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>();
  const byFolder = new Map<string, string[]>();
  for (const file of files) {
    const siblings = byFolder.get(dirname(file));
    if (siblings) siblings.push(file);
    else byFolder.set(dirname(file), [file]);
  }
  for (const [dir, siblings] of byFolder) {
    const folder = openFolder(root, dir);
    try {
      for (const file of siblings) {
        const bytes = folder && lstatSync(folder.at(basename(file)), { throwIfNoEntry: false })?.size;
        if (bytes !== undefined) sizes.set(file, bytes);
      }
    } finally {
      folder?.close();
    }
  }
  return sizes;
}
