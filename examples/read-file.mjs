/** A loop with one tool, in two rounds: the model reads package.json, then answers. Run: node examples/read-file.mjs */
import { readFile } from 'node:fs/promises';
import { createAgentLoop, createToolRegistry, defineTool } from 'pipeline';
import { model } from './model.mjs';

const tools = createToolRegistry([
  defineTool({
    name: 'read_file',
    description: 'Read a text file of this folder.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    execute: ({ path }) => readFile(path, 'utf8'),
  }),
]);

const loop = createAgentLoop({ ...model, tools, system: 'Answer in one sentence.' });
const { text, rounds } = await loop.run('What is the name of the package in package.json?');
console.log(`${text} (${rounds} rounds)`);
