/** The tool `search_files`: the lines that hold a text. */
import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import type { Tool } from '../core/tool.js';
import { openRead } from '../files/folder.js';
import { compileGlob } from '../files/glob.js';
import { errorCode } from '../files/layer.js';
import { answering, count, failure, text } from './access.js';
import { filesAt, foldersAt, seenFrom } from './places.js';

const NAME = 'search_files';
const DEFAULT_LIMIT = 100;
const MAX_LINE_CHARACTERS = 300;
/** Of one file; what comes after is not searched. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Of one search. */
const MAX_BYTES = 256 * 1024 * 1024;

export const searchFilesTool: Tool = {
  spec: {
    name: NAME,
    description:
      'Find the lines of text files that hold a text (plain text, not a regular expression), as path:line: content. ' +
      'A relative folder is searched in the work folder, the run folder and the skill folder, wherever it exists.',
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, description: 'The text to find, within one line.' },
        path: { type: 'string', description: 'The folder to search; "." unless given.' },
        pattern: {
          type: 'string',
          description: 'A glob over the paths below it, e.g. "**/*.md"; every file unless given.',
        },
        ignore_case: { type: 'boolean', description: 'Whether A finds a; no unless given.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 1_000,
          description: `Lines to return; ${DEFAULT_LIMIT} unless given.`,
        },
      },
      required: ['text'],
      additionalProperties: false,
    },
  },
  effect: 'none',
  execute: (args, context) =>
    answering(NAME, async () => {
      const path = text(args, 'path') || '.';
      const fold = (line: string) => (args.ignore_case === true ? line.toLowerCase() : line);
      const wanted = fold(text(args, 'text'));
      const matches = args.pattern === undefined ? () => true : compileGlob(text(args, 'pattern'), true);
      const limit = count(args, 'limit') ?? DEFAULT_LIMIT;
      const folders = foldersAt(context, path);
      if (folders.length === 0)
        return failure(NAME, `${JSON.stringify(path)} is not a folder.`, 'Read a file with read_file.');
      const found: string[] = [];
      let bytes = 0;
      for (const folder of folders) {
        for (const file of (await filesAt(context, folder)).filter((one) => matches(seenFrom(folder, one)))) {
          const content = readText(folder.root, file);
          const shown = seenFrom(folder, file);
          bytes += Buffer.byteLength(content);
          for (const [i, line] of content.split('\n').entries()) {
            if (!fold(line).includes(wanted)) continue;
            if (found.length === limit)
              return answer(found, `[more than ${limit} lines; narrow the search, or raise limit]`);
            found.push(`${path === '.' ? shown : join(path, shown)}:${i + 1}: ${shorten(line)}`);
          }
          if (bytes > MAX_BYTES) return answer(found, '[there is too much to search; narrow it with path or pattern]');
        }
      }
      return answer(found, found.length === 0 ? '(no line holds this text)' : undefined);
    }),
};

/** '' for what may not be read, is gone, or is no text. */
function readText(root: string, path: string): string {
  let fd: number | undefined;
  try {
    const file = openRead([{ path: root, real: root }], path);
    fd = file.fd;
    const bytes = Buffer.alloc(Math.min(file.bytes, MAX_FILE_BYTES));
    const content = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    return content.subarray(0, 8_192).includes(0) ? '' : content.toString();
  } catch (error) {
    if (error instanceof Fault || errorCode(error)) return '';
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function answer(found: readonly string[], note: string | undefined) {
  return { type: 'text', text: [...found, ...(note ? [note] : [])].join('\n') } as const;
}

function shorten(line: string): string {
  const shown = line.trim();
  return shown.length > MAX_LINE_CHARACTERS ? `${shown.slice(0, MAX_LINE_CHARACTERS)}…` : shown;
}
