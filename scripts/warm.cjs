/* Runs the built command line once, over real HTTP on loopback, and keeps what V8 compiled in dist/bundle.cache. */
'use strict';
const { mkdtempSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const http = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const dist = join(__dirname, '..', 'dist');
const dir = mkdtempSync(join(tmpdir(), 'pipeline-build-'));
process.chdir(dir);
process.env.PIPELINE_BUILD_CACHE = '1';
process.env.HOME = dir;
process.stdout.write = () => true;
process.stderr.write = () => true;

mkdirSync('skills');
writeFileSync('pipeline.yaml', `version: 1
name: warm
steps:
  - id: a
    agent: { model: openai/m, prompt: "Do \${{ query }}.", tools: [list_files] }
    output: { type: object, properties: { result: { type: string } }, required: [result], additionalProperties: false }
    save: a.json
  - id: b
    shell: { run: 'echo "$X" > out.txt', env: { X: '\${{ steps.a.output.result }}' } }
`);

function answer(request, response) {
  request.resume().on('end', () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'resolve', arguments: '{"result":"ok"}' } };
    const chunk = (delta, reason) => `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunk({ tool_calls: [call] }, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
  });
}

const server = http.createServer(answer).listen(0, '127.0.0.1', async () => {
  process.env.OPENAI_BASE_URL = `http://127.0.0.1:${server.address().port}/v1`;
  process.env.OPENAI_API_KEY = 'none';
  const { main, script } = require(join(dist, 'cli.js'));
  await main(['run', 'pipeline.yaml', 'warm up']);
  writeFileSync(join(dist, 'bundle.cache'), script.createCachedData());
  process.chdir(tmpdir());
  rmSync(dir, { recursive: true, force: true });
  process.exit(process.exitCode ?? 0);
});
