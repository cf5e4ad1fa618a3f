/** The tool `read_file`: a text file with line numbers, a part at a time. */
import { closeSync, readSync } from 'node:fs';
import type { Tool, ToolResult } from '../core/tool.js';
import { type OpenedFile, openRead } from '../files/folder.js';
import { answering, count, failure, readRoots, refuseMachinery, text } from './access.js';

const NAME = 'read_file';
/** Of one result. */
const MAX_BYTES = 64 * 1024;
const TAIL_BYTES = 16 * 1024;
const MAX_LINE_CHARACTERS = 4_000;
/** More of a file is not looked at; lines are counted up to here. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
const PRIVATE_KEY = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/;

export const readFileTool: Tool = {
  spec: {
    name: NAME,
    description:
      'Read a UTF-8 text file. Returns numbered lines, at most 64 KB; of a longer file the start and the end. ' +
      'A relative path is looked for in the work folder, the run folder, then the skill folder.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative, or absolute inside a folder that may be read.' },
        offset: { type: 'integer', minimum: 1, description: 'First line to return, from 1.' },
        limit: { type: 'integer', minimum: 1, description: 'Number of lines to return.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
  },
  effect: 'none',
  execute: (args, context) =>
    answering(NAME, () => {
      const path = text(args, 'path');
      const file = openRead(readRoots(context, path), path);
      try {
        refuseMachinery(context, path, file.path);
        return show(path, file, count(args, 'offset'), count(args, 'limit'));
      } finally {
        closeSync(file.fd);
      }
    }),
};

function show(path: string, file: OpenedFile, offset: number | undefined, limit: number | undefined): ToolResult {
  const bytes = readStart(file);
  if (bytes.subarray(0, 8_192).includes(0)) {
    return failure(NAME, `${path} is binary (${file.bytes} bytes); only text can be read.`);
  }
  const content = new TextDecoder().decode(bytes);
  if (PRIVATE_KEY.test(content)) return failure(NAME, `${path} is a private key; it may not be read.`);
  if (content === '') return { type: 'text', text: `(${path} is empty)`, read: file.path };

  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const notes: string[] = [];
  if (bytes.length < file.bytes) {
    notes.push(
      `[${path} has ${file.bytes} bytes; only the first ${bytes.length} can be read, here as ${lines.length} lines]`,
    );
  }
  if (content.includes('\uFFFD')) notes.push('[not all of it is UTF-8: what is not is shown as \uFFFD]');

  const first = offset ?? 1;
  if (first > lines.length) {
    return failure(NAME, `${path} has ${lines.length} lines; there is no line ${first}.`, ...notes.slice(0, 1));
  }
  const last = Math.min(lines.length, limit === undefined ? lines.length : first + limit - 1);
  const numbered = lines.slice(first - 1, last).map((line, i) => `${String(first + i).padStart(6)}\t${shorten(line)}`);
  return {
    type: 'text',
    text: [...bounded(numbered, first, lines.length, offset === undefined), ...notes].join('\n'),
    read: file.path,
  };
}

/** All lines if they fit; else the start, and of a whole file the end too, with a word on how to go on. */
function bounded(numbered: readonly string[], first: number, total: number, withEnd: boolean): string[] {
  const headBytes = withEnd ? MAX_BYTES - TAIL_BYTES : MAX_BYTES;
  const sizes = numbered.map((line) => Buffer.byteLength(line) + 1);
  if (sizes.reduce((sum, size) => sum + size, 0) <= MAX_BYTES) {
    const last = first + numbered.length - 1;
    return last < total
      ? [...numbered, `[lines ${first} to ${last} of ${total}; go on with offset ${last + 1}]`]
      : [...numbered];
  }
  const head = fitting(sizes, headBytes);
  const tail = withEnd ? fitting(sizes.slice(head).reverse(), TAIL_BYTES) : 0;
  const next = first + head;
  const resume = first + numbered.length - tail;
  const note = withEnd
    ? `[lines ${next} to ${resume - 1} of ${total} are left out; read them with offset ${next}]`
    : `[lines ${first} to ${next - 1} of ${total}; go on with offset ${next}]`;
  return [...numbered.slice(0, head), note, ...numbered.slice(numbered.length - tail)];
}

function fitting(sizes: readonly number[], bytes: number): number {
  let sum = 0;
  let n = 0;
  for (const size of sizes) {
    sum += size;
    if (sum > bytes) break;
    n++;
  }
  return n;
}

function shorten(line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (plain.length <= MAX_LINE_CHARACTERS) return plain;
  return `${plain.slice(0, MAX_LINE_CHARACTERS)}… [${plain.length - MAX_LINE_CHARACTERS} more characters]`;
}

function readStart(file: OpenedFile): Uint8Array {
  const bytes = Buffer.alloc(Math.min(file.bytes, MAX_READ_BYTES));
  let length = 0;
  while (length < bytes.length) {
    // A look at the start tells a binary file before all of it is read.
    const read = readSync(
      file.fd,
      bytes,
      length,
      Math.min(bytes.length - length, length === 0 ? 8_192 : bytes.length),
      length,
    );
    if (read === 0) break;
    if (length === 0 && bytes.subarray(0, read).includes(0)) return bytes.subarray(0, read);
    length += read;
  }
  return bytes.subarray(0, length);
}
