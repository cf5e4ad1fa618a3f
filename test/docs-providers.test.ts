import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import type { ModelRequest, Provider } from '../src/core/model.js';
import { SERVICES } from '../src/providers/services.js';
import { type Answer, type MockReply, mockServer } from './support/mock-server.js';
import { project } from './support/project.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const INDEX = join(ROOT, 'src/index.ts');
const PAGE = readFileSync(join(ROOT, 'docs/providers.md'), 'utf8');
const [EXAMPLE = ''] = [...PAGE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((found) => found[1] ?? '');
const PACKAGE = "from 'pipeline'";

const dir = mkdtempSync(join(tmpdir(), 'pipeline-provider-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = join(dir, 'acme.ts');
writeFileSync(file, EXAMPLE.replace(PACKAGE, `from ${JSON.stringify(INDEX)}`));

const answer = (says: string, ...runs: readonly object[]): MockReply => ({
  body: JSON.stringify({ says, runs, stopped: 'done', tokens: { in: 7, out: 3 } }),
});
const REQUEST: ModelRequest = {
  model: 'small',
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Hi' }],
  tools: [],
  toolChoice: 'auto',
  parameters: {},
};

async function acme(script: readonly MockReply[] | Answer) {
  const server = await mockServer(script);
  const { acmeProvider } = (await import(/* @vite-ignore */ file)) as { acmeProvider: (url: string) => Provider };
  const provider = acmeProvider(new URL(server.url).origin);
  const ask = (idleTimeoutMs = 10_000, signal = new AbortController().signal) =>
    provider.complete(REQUEST, { signal, idleTimeoutMs });
  return { server, provider, ask };
}

describe('the provider of docs/providers.md', () => {
  it('compiles under the rules of this project', () => {
    expect(EXAMPLE).toContain(PACKAGE);
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
    const example = join(dir, 'as-written.ts');
    writeFileSync(example, EXAMPLE);
    // Of the public names, those that need no run: the whole program would be checked again with the others.
    const nouns = readFileSync(INDEX, 'utf8').match(/^export [^;]*? from '\.\/core\/[^;]*;/gm) ?? [];
    const names = join(dir, 'names.ts');
    writeFileSync(names, nouns.join('\n').replaceAll("'./core/", `'${join(ROOT, 'src/core')}/`));
    const { rootDir: _rootDir, outDir: _outDir, declaration: _declaration, ...rules } = options;
    const program = ts.createProgram([example], {
      ...rules,
      emitDeclarationOnly: false,
      noEmit: true,
      typeRoots: [join(ROOT, 'node_modules/@types')],
      paths: { pipeline: [names] },
    });
    const source = program.getSourceFile(example);
    const wrong = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    expect(wrong.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });

  it('performs an agent with tools', async () => {
    const { server, provider } = await acme((_, round) =>
      round === 0
        ? answer('Looking.', { tool: 'list_files', input: {} })
        : answer('', { tool: 'resolve', input: { result: 'done' } }),
    );
    const { run } = project({
      'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: "Look.", tools: [list_files] }
    output: { type: object, properties: { result: { type: string } }, required: [result] }
`,
    });
    const { status, usage } = await run({ model: 'acme/small', providers: { acme: provider } });
    await server.close();
    expect(status).toBe('done');
    expect(usage).toMatchObject({ inputTokens: 14, outputTokens: 6 });
    const { model, conversation } = JSON.parse(server.requests[1]?.body ?? '');
    expect(model).toBe('small');
    expect(conversation.map(({ from }: { from: string }) => from)).toEqual(['author', 'user', 'model', 'tool']);
  });

  it.each<[string, MockReply, string]>([
    ['a busy service', { status: 503, body: 'busy' }, 'provider.overloaded'],
    ['a refusal', { status: 401, body: 'no' }, 'provider.refused'],
    ['a page', { body: '<html>' }, 'provider.protocol'],
    ['a connection that is cut', { refuse: 'reset' }, 'provider.unreachable'],
    ['silence', { refuse: 'hang' }, 'provider.silent'],
  ])('says what went wrong: %s', async (_, reply, code) => {
    const { server, ask } = await acme([reply]);
    await expect(ask(reply.refuse === 'hang' ? 200 : 10_000)).rejects.toMatchObject({ data: { code } });
    await server.close();
  });

  it('ends with the reason of the signal', async () => {
    const { server, ask } = await acme([{ refuse: 'hang' }]);
    const reason = new Error('Interrupted.');
    await expect(ask(10_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    await server.close();
  });
});

it('the page names the variables and the model of each service', () => {
  for (const { name, model } of SERVICES) {
    const prefix = name.toUpperCase();
    for (const word of [name, `${prefix}_API_KEY`, `${prefix}_BASE_URL`, `${prefix}_MODEL`, model])
      expect(PAGE).toContain(`\`${word}\``);
  }
});
