/** A pipeline run by a program, which is told each fact as it is recorded. Run: node examples/run-pipeline.mjs */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPipeline } from 'pipeline';

const cwd = await mkdtemp(join(tmpdir(), 'pipeline-example-'));
await writeFile(
  join(cwd, 'pipeline.yaml'),
  `version: 1
name: titles
steps:
  - id: title
    agent: { instructions: Find a title., prompt: '\${{ query }}' }
    output: { type: object, properties: { title: { type: string } }, required: [title] }
  - id: letters
    set: { count: '\${{ steps.title.output.title.size() }}' }
result: '\${{ steps.title.output.title }}: \${{ steps.letters.output.count }} letters'
`,
);

const report = await runPipeline({
  target: './pipeline.yaml',
  query: 'a paper on sparse attention',
  cwd,
  env: process.env,
  model: process.env.MODEL ?? 'sketch',
  sinks: [{ write: (event) => event.type === 'step_done' && console.log(`${event.path} is done`) }],
});
console.log(report.status, report.result ?? report.message);
process.exitCode = report.exit;
