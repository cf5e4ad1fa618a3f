/** docs/machine.md against what the commands really print: each of them is run, and its JSON compiled as the type that stands there. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/cli/program.js';
import { seen, type Workspace, workspace } from '../support/cli.js';
import { type Sample, shapeProblems } from '../support/compiled-shapes.js';
import { callReply, type MockServer, mockServer, textReply } from '../support/mock-server.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/machine.md'), 'utf8');
const TYPES = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text).join('\n');

interface Shell {
  readonly name: () => string;
  readonly commands: readonly Shell[];
  readonly options: readonly { readonly long?: string | undefined }[];
}

function paths(command: Shell, above: readonly string[] = []): { readonly path: string; readonly hasJson: boolean }[] {
  return command.commands.flatMap((one) => {
    const path = [...above, one.name()];
    return [{ path: path.join(' '), hasJson: one.options.some(({ long }) => long === '--json') }, ...paths(one, path)];
  });
}

/** Commands that print no document. */
const WITHOUT = ['completion', 'skills'];

describe('every command', () => {
  it('has --json, but for those that print shell text or only their help', () => {
    const without = paths(build()).flatMap(({ path, hasJson }) => (hasJson ? [] : [path]));
    expect(without.sort()).toEqual(WITHOUT);
  });

  it('has its document on the page', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `pipeline '));
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`pipeline ([^`]+)`/g)].map(([, name]) => name),
    );
    const expected = paths(build()).flatMap(({ path }) => (WITHOUT.includes(path) ? [] : [path]));
    expect(named.filter((name) => name !== 'run --dry-run').sort()).toEqual(expected.sort());
  });
});

const PIPELINE = `version: 1
name: t
inputs:
  year: { type: integer, default: 2024 }
steps:
  - id: ask
    agent: { prompt: 'Do \${{ query }}.', tools: [list_files] }
    output: { type: object, properties: { result: { type: string } }, required: [result] }
    save: ask.json
  - id: each
    foreach: [1, 2]
    shell: { run: 'echo "$X"', env: { X: '\${{ item }}' } }
result: \${{ steps.each.output }}
`;

const clean: (() => void)[] = [];
const samples: Sample[] = [];
let place: Workspace;
let server: MockServer;

async function sample(type: string, args: readonly string[], exit = 0, env = {}): Promise<void> {
  const { code, stdout, stderr } = await place.pipeline([...args, '--json'], env);
  const of = `pipeline ${args.join(' ')}`;
  expect([of, code], stderr).toEqual([of, exit]);
  samples.push({ of, type, json: stdout });
}

beforeAll(async () => {
  server = await mockServer(({ body }) =>
    body.includes('"tools"') ? callReply(['resolve', { word: 'ready' }]) : textReply('one two'),
  );
  place = workspace(undefined, (undo) => clean.push(undo));
  place.write('pipeline.yaml', PIPELINE);
  place.write('fails.yaml', "version: 1\nname: fails\nsteps: [{ id: a, shell: { run: 'exit 3' } }]\n");
  place.write('wrong.yaml', 'version: 1\nname: wrong\nsteps: [{ id: a, shel: { run: x } }]\n');
  place.write('gate.yaml', 'version: 1\nname: gate\nsteps: [{ id: ok, gate: { ask: Well? } }]\n');
});

afterAll(async () => {
  for (const undo of clean) undo();
  await server.close();
});

it('a run that is done, failed, invalid, waiting, resumed, forked, answered, stopped exits as the page says, with a document', async () => {
  await sample('RunDocument', ['run', 'pipeline.yaml', 'q']);
  await sample('RunDocument', ['run', 'fails.yaml', 'q'], 1);
  await sample('RunDocument', ['run', 'wrong.yaml', 'q'], 2);
  await sample('RunDocument', ['run', 'gate.yaml', 'q'], 7);
  await sample('RunDocument', ['resume', 'fails/q'], 1);
  await sample('RunDocument', ['fork', 't/q'], 0);
  await sample('DryRunDocument', ['run', 'pipeline.yaml', 'q', '--dry-run']);
  await sample('ShownRunDocument', ['show', 'gate/q']);
  await sample('ShownStepDocument', ['show', 'gate/q', 'ok']);
  await sample('ApproveDocument', ['approve', 'gate/q', 'ok', '--choice', 'approve']);
  await sample('StopDocument', ['stop', 't/q'], 1);
  await sample('RunsDocument', ['runs']);
  await sample('ShownRunDocument', ['show', 't/q']);
  for (const step of ['ask', 'each', 'each/0']) await sample('ShownStepDocument', ['show', 't/q', step]);
  await sample('ShownStepDocument', ['show', 'fails/q', 'a']);
  await sample('TranscriptDocument', ['transcript', 't/q', 'ask']);
  await sample('LogsDocument', ['logs', 't/q']);
  await sample('LogsDocument', ['logs', 't/q', 'ask']);
  await sample('LogsDocument', ['logs', 'fails/q']);
  await sample('OpenDocument', ['open', 't/q', '--print']);
  await sample('ExplainDocument', ['explain', 'fails/q']);
  await sample('ExplainDocument', ['explain', 't/q', 'ask']);
  await sample('DiffDocument', ['diff', 't/q', 't/q-2'], 0);
  await sample('ErrorDocument', ['logs', 'nowhere'], 2);
  await sample('ErrorDocument', ['runs', '--nope'], 2);
  await sample('RemovalDocument', ['runs', 'prune', '--status', 'failed', '--dry-run']);
  await sample('RemovalDocument', ['runs', 'rm', 'fails/q', '--yes']);
  const { stdout } = await place.pipeline(['logs', 't/q', 'ask', '-f', '--json']);
  for (const json of stdout.trimEnd().split('\n')) samples.push({ of: 'pipeline logs -f', type: 'LogEntry', json });
}, 240_000);

it('a skill that is listed, shown, checked, tested, drawn, simulated, begun, fetched is told as a document', async () => {
  await sample('ListDocument', ['list']);
  await sample('SkillDocument', ['show', 'idea-spark']);
  await sample('GraphDocument', ['graph', 'idea-spark']);
  await sample('GraphDocument', ['graph', 't/q']);
  await sample('CheckDocument', ['check', 'idea-spark']);
  await sample('ProblemsDocument', ['check', 'wrong.yaml'], 2);
  await sample('ProblemsDocument', ['graph', 'wrong.yaml'], 2);
  await sample('InitDocument', ['init', 'made']);
  await sample('CheckDocument', ['check', '--fix', 'made']);
  await sample('TestDocument', ['test', 'made']);
  await sample('SimulateDocument', ['simulate', 'pipeline.yaml', '--runs', '3']);
  await sample('TraceDocument', ['simulate', 'pipeline.yaml', '--trace', '--seed', 'a.0']);
  await sample('ProblemsDocument', ['simulate', 'wrong.yaml'], 2);
  await sample('ProblemsDocument', ['simulate', 'pipeline.yaml', '--input', 'year=soon'], 2);
  place.write('broken/pipeline.yaml', PIPELINE);
  place.write('broken/tests/a.sim.yaml', 'name: A\nquery: q\nnever: [\'status == "done"\', \'status == "failed"\']\n');
  await sample('SimulateDocument', ['simulate', './broken', '--runs', '20', '--seed', 'a'], 1);
  await sample('ReferenceDocument', ['reference']);
  const other = join(place.dir, '../other/skills/far');
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, 'SKILL.md'), '---\nname: far\ndescription: d\n---\nDo it.\n');
  await sample('SkillsAddDocument', ['skills', 'add', '../other', '--yes']);
  await sample('SkillsDocument', ['skills', 'list']);
  await sample('SkillsDocument', ['skills', 'check']);
  await sample('SkillsShowDocument', ['skills', 'show', 'far']);
  await sample('SkillsTrustDocument', ['skills', 'trust', 'far']);
  place.write('skills/far/more.md', 'x');
  await sample('SkillsDocument', ['skills', 'check'], 4);
  await sample('SkillsTrustDocument', ['skills', 'trust', 'far']);
  await sample('SkillsUpdateDocument', ['skills', 'update', 'far', '--yes']);
  await sample('SkillsRemoveDocument', ['skills', 'remove', 'far', '--yes']);
}, 240_000);

it('the machine, its models, the chat and the pages are told as documents', async () => {
  await sample('DoctorDocument', ['doctor', '--no-detect']);
  await sample('ConfigDocument', ['config']);
  await sample('ModelsDocument', ['models', '--no-detect']);
  place.write('pipeline.config.yaml', `models: { near: { provider: openai, model: m, base_url: "${server.url}" } }\n`);
  await sample('ConfigDocument', ['config', '--explain'], 0, { OPENAI_API_KEY: 'sk-0123456789' });
  await sample('ModelsDocument', ['models', '--no-detect']);
  await sample('ModelTestDocument', ['models', 'test', 'near']);
  const chat = await place.bash('echo hello | pipeline chat --json --no-detect --model sketch');
  expect(chat, chat.stderr).toMatchObject({ code: 0 });
  for (const json of chat.stdout.trimEnd().split('\n')) samples.push({ of: 'pipeline chat', type: 'ChatLine', json });
  const ui = place.start(['ui', '--json', '--no-detect']);
  let shown = '';
  ui.child.stdout?.on('data', (text: string) => {
    shown += text;
  });
  await seen(() => shown.trimEnd().endsWith('}'));
  ui.child.kill('SIGTERM');
  await ui.ended;
  samples.push({ of: 'pipeline ui', type: 'UiDocument', json: shown });
}, 240_000);

it('--events ndjson is the records as they come, the last one run_ended with the result', async () => {
  const { code, stdout } = await place.pipeline(['run', 'pipeline.yaml', 'events', '--events', 'ndjson']);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as { seq: number; type: string });
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at + 1));
  expect(records.map(({ type }) => type)).toEqual(place.events('t/events').map(({ type }) => type));
  expect(records[0]).toMatchObject({ type: 'run_started', skill: 't', query: 'events' });
  expect(records.at(-1)).toMatchObject({ type: 'run_ended', status: 'done', exit: 0, result: ['1', '2'] });
  for (const json of lines) samples.push({ of: 'pipeline run --events ndjson', type: 'Recorded', json });
  const resumed = await place.pipeline(['resume', 't/events', '--events', 'ndjson']);
  const first = JSON.parse(resumed.stdout.split('\n')[0] ?? '') as { seq: number };
  expect(first).toMatchObject({ type: 'run_resumed', seq: records.length + 1 });
  for (const json of resumed.stdout.trimEnd().split('\n')) samples.push({ of: 'resume', type: 'Recorded', json });
  const wrong = await place.pipeline(['run', 'wrong.yaml', 'q', '--events', 'ndjson']);
  expect(wrong).toMatchObject({ code: 2, stdout: expect.stringMatching(/^\{"status":"invalid",.*\}\n$/) });
  const unknown = await place.pipeline(['resume', 'nowhere', '--events', 'ndjson']);
  expect(unknown).toMatchObject({ code: 2, stdout: expect.stringMatching(/^\{"status":"error",.*\}\n$/) });
});

it('a reader of the records that leaves does not end the run', async () => {
  const ran = await place.bash(
    'pipeline run pipeline.yaml leaves --events ndjson --no-detect -q | head -1; echo "${PIPESTATUS[@]}"',
  );
  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\n0 0\n$/) });
  expect(place.events('t/leaves').at(-1)).toMatchObject({ type: 'run_ended', status: 'done' });
});

it('what was printed is what the page says, and the page has all that a record can be', () => {
  expect(samples.length).toBeGreaterThan(60);
  const all = `import type { Recorded as Real } from './src/core/events.js';
type KeysOf<Union, Type> = Union extends { type: Type } ? keyof Union : never;
type Beyond<A extends { type: string }, B> = { [T in A['type']]: Exclude<KeysOf<A, T>, KeysOf<B, T>> }[A['type']];
export const nothingIsLeftOut: [Beyond<Real, Recorded>] extends [never] ? true : Beyond<Real, Recorded> = true;
export const nothingIsMadeUp: [Beyond<Recorded, Real>] extends [never] ? true : Beyond<Recorded, Real> = true;`;
  expect(shapeProblems(TYPES, samples, ROOT.replace(/\/$/, ''), all)).toEqual([]);
});
