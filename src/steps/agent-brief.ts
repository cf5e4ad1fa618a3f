/** What an agent is given: its system text, its prompt with the files, on disk as prompt.md. */
import fs from 'node:fs';
import { relative, sep } from 'node:path';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { FileRead } from '../core/kind.js';
import type { Image } from '../core/model.js';
import { instructionsOf } from '../core/plan.js';
import type { AgentConfig } from './agent-config.js';
import { type AddedFile, addFiles } from './agent-files.js';

export interface Brief {
  readonly system: string;
  readonly prompt: string;
  readonly images: readonly Image[];
  readonly reads: readonly { readonly file: string; readonly sha256: string }[];
  /** Absolute path of prompt.md, and what is in it. */
  readonly file: string;
  readonly text: string;
  /** It is there then. To be waited for before the step ends. */
  readonly written: Promise<void>;
}

/**
 * @param systemOf makes the system text of the author's instructions
 * @param images `shown` with the request, or `named` by their paths, for a program that can look at them itself
 */
export function briefOf(
  config: AgentConfig,
  systemOf: (instructions: string) => string,
  images: 'shown' | 'named',
  context: StepContext,
): Brief {
  const { folders } = context;
  const added = addFiles(config.files ?? [], context);
  const system = systemOf(instructionsFor(config, context));
  const prompt = `${config.prompt}${added.map((file) => section(file, images, context.redact)).join('')}`;
  const text = `${system}\n\n---\n\n${prompt}\n`;
  const file = folders.prompt;
  // A new file takes a while to make: nobody reads it before the model has answered.
  const written = writeFile(file, text, { mode: 0o600 });
  written.catch(() => undefined);
  return {
    system,
    prompt,
    images: added.flatMap(({ content }) => (content.type === 'image' ? [content.image] : [])),
    reads: added.map((one) => ({ file: one.path, sha256: one.sha256 })),
    file,
    text,
    written,
  };
}

const writeFile = (file: string, text: string, options: { readonly mode: number }) =>
  new Promise<void>((resolve, reject) => {
    fs.writeFile(file, text, options, (error) => (error ? reject(error) : resolve()));
  });

function section(
  { name, path, content }: AddedFile,
  images: 'shown' | 'named',
  redact: (text: string) => string,
): string {
  if (content.type === 'text') return `\n\n## File: ${name}\n\n${redact(content.text)}`;
  return `\n\n## Image: ${name}${images === 'named' ? `\n\n${path}` : ''}`;
}

function instructionsFor(config: AgentConfig, context: StepContext): string {
  if (config.skill === undefined) return config.instructions ?? '';
  const skill = context.findSkill(config.skill);
  if (!skill) throw new Fault('config.invalid', `there is no skill "${config.skill}"`);
  return instructionsOf(skill);
}

/** Files of the work folder are the step's own doing, not what it depends on; input files count by their content already. */
export function readsOf(reads: Brief['reads'], { folders, readable }: StepContext): FileRead[] {
  const { work, run, skill, project } = folders;
  const unique = new Map<string, FileRead>();
  for (const { file, sha256 } of reads) {
    if (isBelow(work, file) || readable.includes(file)) continue;
    const [from, root] = isBelow(run, file)
      ? (['run', run] as const)
      : isBelow(skill, file)
        ? (['skill', skill] as const)
        : isBelow(project, file)
          ? (['project', project] as const)
          : (['elsewhere', ''] as const);
    unique.set(file, { from, path: root === '' ? file : relative(root, file), sha256 });
  }
  return [...unique.values()];
}

function isBelow(root: string, file: string): boolean {
  return file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}
