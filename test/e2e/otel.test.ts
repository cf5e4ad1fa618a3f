import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { CLI, workspace } from '../support/cli.js';
import { type CollectedSpan, type Collector, collector } from '../support/collector.js';

const SECRET_WORDS = 'the moon is made of basalt';
const PIPELINE = `version: 1
name: t
steps:
  - id: rounds
    foreach: [1, 2]
    steps:
      - id: audit
        agent: { prompt: 'Audit \${{ query }}.', tools: [list_files] }
        output: { type: object, properties: { result: { type: string } }, required: [result] }
  - id: after
    shell: { run: 'echo ${SECRET_WORDS} >&2; exit 3' }
`;

async function collecting(answer?: number): Promise<Collector> {
  const one = await collector(answer);
  onTestFinished(() => one.close());
  return one;
}

type Of<T extends Recorded['type']> = Extract<Recorded, { type: T }>;

function ofType<T extends Recorded['type']>(events: readonly Recorded[], type: T): Of<T>[] {
  return events.filter((event): event is Of<T> => event.type === type);
}

/** The names of the spans around it, the outermost first. */
function namesAround(span: CollectedSpan, spans: readonly CollectedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [...namesAround(parent, spans), parent.name] : [];
}

it('sends the spans of a run to the collector that the environment names: their tree, times, usage and failures', async () => {
  const { url, spans, resource, bodies } = await collecting();
  const place = workspace();
  place.write('pipeline.yaml', PIPELINE);
  const ran = await place.pipeline(['run', 'pipeline.yaml', SECRET_WORDS, '-q'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
  });
  expect(ran.code).toBe(1);
  const events = place.events('t/the-moon-is-made-of-basalt');
  expect(resource).toMatchObject({ 'service.name': 'pipeline', 'deployment.environment': 'test' });
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);

  const tree = spans.map((span) => [...namesAround(span, spans), span.name].join(' > ')).sort();
  const agent = 'invoke_workflow t > step rounds > step rounds > invoke_agent rounds/audit';
  const each = [agent, `${agent} > chat sketch`, `${agent} > chat sketch`, `${agent} > execute_tool list_files`];
  const one = ['invoke_workflow t > step rounds > step rounds', ...each, `${agent} > execute_tool resolve`];
  const outer = ['invoke_workflow t', 'invoke_workflow t > step after', 'invoke_workflow t > step rounds'];
  expect(tree).toEqual([...outer, ...one, ...one].sort());

  const rounds = ofType(events, 'round');
  const chats = spans.filter(({ name }) => name === 'chat sketch');
  expect(chats.map(({ attributes }) => attributes['gen_ai.usage.input_tokens']).sort()).toEqual(
    rounds.map(({ usage }) => usage?.inputTokens).sort(),
  );
  for (const chat of chats) {
    expect(chat).toMatchObject({ kind: 3, status: 0 });
    expect(chat.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'sketch',
      'gen_ai.request.model': 'sketch',
    });
  }
  const sum = (list: readonly number[]) => list.reduce((total, count) => total + count, 0);
  for (const path of ['rounds/0/audit', 'rounds/1/audit']) {
    const audit = spans.find(({ attributes }) => attributes['pipeline.step.path'] === path);
    const own = rounds.filter((round) => round.path === path);
    expect(audit?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'rounds/audit',
      'gen_ai.request.model': 'sketch',
      'gen_ai.usage.input_tokens': sum(own.map(({ usage }) => usage?.inputTokens ?? 0)),
      'gen_ai.usage.output_tokens': sum(own.map(({ usage }) => usage?.outputTokens ?? 0)),
    });
    const [begun] = ofType(events, 'step_started').filter((event) => event.path === path);
    const [done] = ofType(events, 'step_done').filter((event) => event.path === path);
    expect([audit?.beginsMs, audit?.endsMs]).toEqual([begun?.at, done?.at].map((at) => Date.parse(at ?? '')));
  }
  const [tool] = ofType(events, 'tool');
  expect(spans.find(({ name }) => name === 'execute_tool list_files')).toMatchObject({
    kind: 1,
    endsMs: Date.parse(tool?.at ?? ''),
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'list_files' },
  });
  expect(spans.find(({ name }) => name === 'step after')).toMatchObject({
    status: 2,
    attributes: { 'error.type': 'shell.exit', 'pipeline.step.path': 'after' },
  });
  expect(spans.find(({ name }) => name === 'invoke_workflow t')).toMatchObject({
    parentSpanId: '',
    status: 2,
    beginsMs: Date.parse(events[0]?.at ?? ''),
    endsMs: Date.parse(events.at(-1)?.at ?? ''),
    attributes: { 'gen_ai.workflow.name': 't', 'pipeline.run.status': 'failed', 'error.type': 'shell.exit' },
  });
  for (const span of spans) {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId) ?? span;
    expect(span.beginsMs, span.name).toBeGreaterThanOrEqual(parent.beginsMs);
    expect(span.endsMs, span.name).toBeLessThanOrEqual(parent.endsMs);
  }
  expect(bodies.join('')).not.toContain(SECRET_WORDS);
});

it('stands below the span that TRACEPARENT names, and sends nothing where OTEL_SDK_DISABLED says so', async () => {
  const { url, spans } = await collecting();
  const place = workspace();
  place.write('pipeline.yaml', 'version: 1\nname: t\nsteps: [{ id: a, set: { x: 1 } }]\n');
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  await place.pipeline(['run', 'pipeline.yaml', 'q', '-q'], { ...env, OTEL_SDK_DISABLED: 'true' });
  expect(spans).toEqual([]);
  await place.pipeline(['run', 'pipeline.yaml', 'q', '-q'], { ...env, TRACEPARENT: `00-${trace}-${span}-01` });
  expect(spans.find(({ name }) => name === 'invoke_workflow t')).toMatchObject({ traceId: trace, parentSpanId: span });
});

it('tells of a model call that failed and was tried again as a span of its own, with the code of the fault', async () => {
  const { url, spans } = await collecting();
  const place = workspace();
  place.write('turns.yaml', 'a:\n  - { error: { code: provider.overloaded } }\n  - { text: "fine" }\n');
  place.write(
    'pipeline.yaml',
    "version: 1\nname: t\nsteps: [{ id: a, agent: { adapter: llm, prompt: 'Say.' }, output: { type: string } }]\n",
  );
  const ran = await place.pipeline(['run', 'pipeline.yaml', 'q', '-q', '--model', 'script:turns.yaml'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
  });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const chats = spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat');
  expect(chats.map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
    [2, 'provider.overloaded'],
    [0, undefined],
  ]);
  const [first, second] = chats;
  expect(second?.beginsMs).toBeGreaterThanOrEqual(first?.endsMs ?? Number.POSITIVE_INFINITY);
});

it('goes on where the collector refuses the spans, and says so once', async () => {
  const place = workspace();
  place.write('pipeline.yaml', 'version: 1\nname: t\nsteps: [{ id: a, set: { x: 1 } }]\n');
  const { url } = await collecting(400);
  const ran = await place.pipeline(['run', 'pipeline.yaml', 'q', '--otel', '-q'], { OTEL_EXPORTER_OTLP_ENDPOINT: url });
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/^! spans could not be sent: .+\n$/);
});

it('says what to install where OpenTelemetry is not there, and runs', async () => {
  const place = workspace();
  place.write('pipeline.yaml', 'version: 1\nname: t\nsteps: [{ id: a, set: { x: 1 } }]\n');
  const alone = mkdtempSync(join(tmpdir(), 'pipeline-alone-'));
  onTestFinished(() => rmSync(alone, { recursive: true, force: true }));
  cpSync(dirname(CLI), join(alone, 'dist'), { recursive: true });
  const ran = await place.bash(
    `"${process.execPath}" "${join(alone, 'dist/cli.js')}" run pipeline.yaml q --otel --no-detect -q`,
  );
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('skill_run/t/q') });
  expect(ran.stderr).toBe(
    '! no spans are sent: OpenTelemetry is not installed\n  try  npm install @opentelemetry/api @opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources\n',
  );
});
