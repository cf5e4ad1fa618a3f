/** A pipeline, one of whose steps is done by an agent of the program, with a tool of the program. Run: node examples/own-agent.mjs */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReactAdapter, defineTool, runPipeline } from 'pipeline';
import { model } from './model.mjs';

const cwd = await mkdtemp(join(tmpdir(), 'pipeline-example-'));
await writeFile(
  join(cwd, 'pipeline.yaml'),
  `version: 1
name: rated
steps:
  - id: rate
    agent: { instructions: Rate the title with the tool., prompt: '\${{ query }}' }
    output: { type: object, properties: { rating: { type: integer, maximum: 5 } }, required: [rating] }
result: '\${{ query }}, rated \${{ steps.rate.output.rating }}'
`,
);

const lengthOf = defineTool({
  name: 'length_of',
  description: 'Count the letters of a text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => text.length,
});

const report = await runPipeline({
  target: './pipeline.yaml',
  query: 'Sparse',
  cwd,
  env: process.env,
  adapters: { rate: createReactAdapter({ ...model, tools: [lengthOf] }) },
});
console.log(report.status, report.result ?? report.message);
process.exitCode = report.exit;
