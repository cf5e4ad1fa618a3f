/** The tool `patch_file`: replaces one passage of a text file, and nothing else of it. */
import { closeSync, existsSync, readFileSync } from 'node:fs';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Tool, ToolResult } from '../core/tool.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { openRead, writeInside } from '../files/folder.js';
import type { Root } from '../files/held.js';
import { resolveRead } from '../files/jail.js';
import { answering, failure, locateWrite, readRoots, text } from './access.js';
import { type Patched, patchText } from './patch-text.js';

const NAME = 'patch_file';
const MAX_BYTES = 16 * 1024 * 1024;

export const patchFileTool: Tool = {
  spec: {
    name: NAME,
    description:
      'Replace one passage of a text file in the work folder. `find` must occur exactly once: give enough of the lines around it, ' +
      'without line numbers. Line ends of the file are kept.',
    parameters: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          description: 'Relative to the work folder, or absolute inside a folder that may be written.',
        },
        find: { type: 'string', minLength: 1, description: 'The exact text to replace, with its indentation.' },
        replace: { type: 'string', description: 'The text to put there; may be empty.' },
      },
      required: ['path', 'find', 'replace'],
      additionalProperties: false,
    },
  },
  effect: 'write',
  // Reads, changes and writes without giving way to others, so that no two patches of one file can overlap.
  execute: (args, context) =>
    answering(NAME, () => {
      const path = text(args, 'path');
      const { root, real } = locateWrite(context, path);
      if (!existsSync(real)) return missing(path, context);
      const source = readText(root, path);
      if (typeof source !== 'string') return source;
      const patched = patchText(source, text(args, 'find'), text(args, 'replace'));
      if (patched.type === 'problem') return failure(NAME, `${path}: ${patched.text}`);
      writeInside(root, path, (target, mode) =>
        writeFileAtomic(target, patched.content, { durable: true, mode: mode ?? 0o600 }),
      );
      return { type: 'text', text: `Patched ${path}: ${described(patched)}.` };
    }),
};

function readText(root: Root, path: string): string | ToolResult {
  const file = openRead([root], path);
  try {
    if (file.bytes > MAX_BYTES) {
      return failure(NAME, `${path} has ${file.bytes} bytes; at most ${MAX_BYTES} can be patched.`);
    }
    const bytes = readFileSync(file.fd);
    if (bytes.includes(0)) return failure(NAME, `${path} is binary (${file.bytes} bytes); only text can be patched.`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return failure(NAME, `${path} is not UTF-8; patching would damage it.`);
    throw error;
  } finally {
    closeSync(file.fd);
  }
}

/** A file that is only in the run's or the skill's folder is there to be read. */
function missing(path: string, context: StepContext): ToolResult {
  const next = 'Write it with write_file.';
  try {
    const found = resolveRead(readRoots(context, path), path);
    return failure(NAME, `${path} is not in the work folder but at ${found}, which may only be read.`, next);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return failure(NAME, `${path} does not exist.`, next);
  }
}

function described({ line, removedLines, addedLines }: Extract<Patched, { type: 'patched' }>): string {
  return `line ${line}, ${removedLines} line${removedLines === 1 ? '' : 's'} became ${addedLines}`;
}
