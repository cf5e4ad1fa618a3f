/** The tool `write_file`: a whole file, new or in the place of what was there. */
import type { Tool } from '../core/tool.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { writeInside } from '../files/folder.js';
import { answering, locateWrite, text } from './access.js';

const NAME = 'write_file';

export const writeFileTool: Tool = {
  spec: {
    name: NAME,
    description:
      'Write a whole text file (UTF-8), replacing what was there; folders are made. ' +
      'A relative path is in the work folder, from which files are published when the step has succeeded.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative, or absolute inside a folder that may be written.' },
        content: { type: 'string', description: 'The whole content.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
  },
  effect: 'write',
  execute: (args, context) =>
    answering(NAME, () => {
      const path = text(args, 'path');
      const { root } = locateWrite(context, path);
      const bytes = Buffer.from(text(args, 'content'));
      let was = false;
      // The conversation, which says that it was written, survives a power cut.
      writeInside(
        root,
        path,
        (target, mode) => {
          was = mode !== undefined;
          writeFileAtomic(target, bytes, { durable: true, mode: mode ?? 0o600 });
        },
        'to stay',
      );
      return { type: 'text', text: `${was ? 'Replaced' : 'Wrote'} ${path} (${bytes.length} bytes).` };
    }),
};
