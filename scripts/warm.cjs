/* Runs the built command line once, over real HTTP on loopback, and keeps what V8 compiled beside each file of dist/. */
'use strict';
const { mkdtempSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const http = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const dist = join(__dirname, '..', 'dist');
const dir = mkdtempSync(join(tmpdir(), 'pipeline-build-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
process.chdir(dir);
process.env.PIPELINE_BUILD_CACHE = '1';
process.env.HOME = dir;
process.stdout.write = () => true;
process.stderr.write = () => true;

/* A query in Chinese, an agent, shell steps, a loop, a document: all parts are loaded, and the report shows a little of everything. */
const QUERY = '热身 warm up';
mkdirSync('skills');
writeFileSync(
  'pipeline.yaml',
  `version: 1
name: warm
steps:
  - id: a
    agent: { model: openai/m, prompt: "Do \${{ query }}.", tools: [list_files] }
    output: { type: object, properties: { result: { type: string, pattern: "^ok$" } }, required: [result], additionalProperties: false }
    save: a.json
  - id: b
    shell: { run: 'echo "$X" > out.txt', env: { X: '\${{ steps.a.output.result }}' } }
  - id: c
    foreach: [1, 2]
    needs: [a]
    set: { n: '\${{ item }}', text: of a loop }
  - id: d
    needs: [a]
    shell: { run: 'printf "# Warm\\n\\nA *document* with a [link](https://example.org).\\n" > out.md; echo said >&2' }
  - id: e
    needs: [c, d]
    set: { list: [1, 2], deep: { a: b } }
`,
);

const { main, scripts } = require(join(dist, 'cli.js'));
const caches = new Map();

/* What is compiled after the first request stays out of the bundle's cache: to read it would cost each start more than it saves. */
function keepCaches() {
  for (const [name, script] of scripts) {
    if (!caches.has(name)) caches.set(name, script.createCachedData());
  }
}

function answer(request, response) {
  keepCaches();
  request.resume().on('end', () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'resolve', arguments: '{"result":"ok"}' } };
    const choice = (delta, reason) => ({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] });
    const chunks = [choice({ tool_calls: [call] }, null), choice({}, 'tool_calls')].map((one) => JSON.stringify(one));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end([...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
  });
}

const server = http.createServer(answer).listen(0, '127.0.0.1', async () => {
  process.env.OPENAI_BASE_URL = `http://127.0.0.1:${server.address().port}/v1`;
  process.env.OPENAI_API_KEY = 'none';
  await main(['run', 'pipeline.yaml', QUERY]);
  // The prices are of a service behind an address, which is not asked here.
  process.env.OPENAI_BASE_URL = '';
  await main(['models', '--no-detect']);
  keepCaches();
  for (const [name, cache] of caches) writeFileSync(join(dist, `${name}.${process.version}.cache`), cache);
  process.chdir(tmpdir());
  process.exit(process.exitCode ?? 0);
});
