import { expect, it } from 'vitest';
import { columnsOf } from '../../src/core/columns.js';
import type { Recorded, RunEvent } from '../../src/core/events.js';
import { plainLines, plainText } from '../../src/core/plain-text.js';
import type { Screen } from '../../src/sinks/terminal/screen.js';
import { terminalSink } from '../../src/sinks/terminal.js';
import * as facts from '../support/facts.js';
import { project } from '../support/project.js';

const fault = (message: string) => ({ code: 'step.assert', message }) as const;
const begun = (path: string, key = 'k', title = path) => facts.began(path, { key, title });
const done = (path: string, key = 'k') => facts.done(path, { key, ms: 1_000 });
const failed = (path: string, message: string) => facts.failed(path, 'step.assert', { fault: fault(message) });

function shown(events: readonly RunEvent[], screen: Partial<Screen> = {}, options = {}): string[] {
  let text = '';
  const sink = terminalSink(
    {
      write: (more) => {
        text += more;
      },
      live: false,
      color: false,
      columns: () => 80,
      rows: () => 24,
      cursor: () => undefined,
      ...screen,
    },
    options,
  );
  for (const [seq, event] of events.entries()) sink.write({ ...event, seq, at: new Date(0).toISOString() } as Recorded);
  void sink.close?.();
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

it('says how many items of a loop failed', () => {
  const loop: RunEvent = { type: 'loop', path: 'f', of: 'items', count: 3 };
  const items = [begun('f/0'), done('f/0'), begun('f/1'), failed('f/1', 'no'), begun('f/2'), failed('f/2', 'no')];
  expect(shown([loop, ...items, done('f', '')]).at(-1)).toBe('  ✓ f  1 of 3 items, 2 failed  1 s');
  expect(shown([{ ...loop, count: 1 }, begun('f/0'), done('f/0'), done('f', '')])).toEqual(['  ✓ f  1 item  1 s']);
});

it('counts an item that failed at first and then succeeded as one that succeeded', () => {
  const loop: RunEvent = { type: 'loop', path: 'f', of: 'items', count: 1 };
  const group = [begun('f/0', ''), failed('f/0', 'no'), begun('f/0', ''), done('f/0', '')];
  expect(shown([loop, ...group, done('f', '')]).at(-1)).toBe('  ✓ f  1 item  1 s');
});

it('does not take a step for an item of a loop whose name its own begins with', () => {
  const loop: RunEvent = { type: 'loop', path: 'f', of: 'items', count: 1 };
  expect(shown([loop, begun('fx'), failed('fx', 'no'), done('f', '')]).at(-1)).toBe('  ✓ f  1 item  1 s');
});

it('says of a group that it failed if that was its own doing, and not if a step in it failed', () => {
  const inner = [begun('g', ''), begun('g/a'), failed('g/a', 'exit 1')];
  expect(shown([...inner, failed('g', 'step "a": exit 1')])).toEqual(['    ✗ a  exit 1']);
  expect(shown([...inner, failed('g', 'At least three.')])).toEqual(['    ✗ a  exit 1', '  ✗ g  At least three.']);
});

it('says of one step only once that the end stopped it', () => {
  const stop = fault('ended by e');
  const events: RunEvent[] = [
    begun('h'),
    { type: 'step_stopped', path: 'h', fault: stop },
    { type: 'step_skipped', path: 'h', reason: 'ended by e' },
    begun('g', ''),
    { type: 'step_skipped', path: 'g', reason: 'ended by e' },
    { type: 'step_skipped', path: 'later', reason: 'ended by e' },
  ];
  expect(shown(events)).toEqual([
    '  ■ h  stopped: ended by e',
    '  ■ g  stopped: ended by e',
    '  - later  skipped: ended by e',
  ]);
});

it('says that another model took over, and that a call was lost', () => {
  const busy = { code: 'provider.overloaded', message: 'busy\u001b[2J' } as const;
  const lost: RunEvent = { type: 'call_lost', path: 'a', estimatedTokens: 1_500 };
  const fallback: RunEvent = { type: 'fallback', path: 'a', from: 'one/m', to: 'two/n', fault: busy };
  expect(shown([begun('a'), lost, fallback])).toEqual([
    '  ↻ a lost a call, which counts as 1.5k tokens',
    '  ↻ a one/m → two/n: busy',
  ]);
});

it('draws no line that is wider than the screen, also with wide characters', () => {
  const events: RunEvent[] = [
    begun('a'),
    { type: 'tool', path: 'a', round: 1, name: 'read_file', ok: true, ms: 1, target: '平安夜的烟花'.repeat(10) },
    begun('b'),
  ];
  const lines = shown(events, { live: true, columns: () => 40 }).map(plainText);
  const drawn = lines.filter((line) => line.includes('·'));
  expect(drawn.length).toBeGreaterThan(0);
  for (const line of drawn) expect(columnsOf(line)).toBeLessThan(40);
});

it('prints one line for each step of a real run that an `on_failure: stop` cuts', async () => {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const screen = { write, live: false, color: false, columns: () => 80, rows: () => 24, cursor: () => undefined };
  const ran = await project({
    'pipeline.yaml': `version: 1
name: t
on_failure: stop
steps:
  - { id: f, needs: [], shell: { run: 'until [ -e "$PIPELINE_RUN_DIR/../go" ]; do sleep 0.01; done; exit 1' } }
  - { id: h, needs: [], shell: { run: 'touch "$PIPELINE_RUN_DIR/../go"; sleep 60' } }
`,
  }).run({ sinks: [terminalSink(screen)] });
  expect(ran.status).toBe('failed');
  expect(text.match(/^ {2}\S+ h .*/gm)).toEqual(['  ■ h  stopped: stopped because f failed']);
});

it('counts a call that was refused as the records of the run do', () => {
  const refused: RunEvent = { type: 'tool_refused', path: 'a', round: 1, name: 'look', reason: 'no' };
  expect(shown([begun('a'), refused, done('a')]).at(-1)).toBe('  ✓ a  1 tool call  1 s');
});

const RULE = '\u2501'.repeat(72);
const SCRIPT = `echo "a note"
if [ ! -f "$PIPELINE_RUN_DIR/a.md" ]; then
  printf '%s\\n' ${RULE} 'STATE  : OUTLINE' 'STEP   : 1. outline' 'TYPE   : llm_subagent' 'DO     : Do it.' 'OUTPUT : a.md' ${RULE}
else
  printf '%s\\n' ${RULE} 'STATE  : CHECK' 'STEP   : 2. check' 'TYPE   : bash' 'RUN    : exit 3' ${RULE}
fi
`;

it('tells the rounds of a script as progress: where it is, no step that nobody wrote, a failure once', async () => {
  const place = project({ 'skills/drive/scripts/run.sh': SCRIPT, 'turns.yaml': 'turns: [{ text: hello }]\n' });
  const ran = await place.run({ target: 'drive', model: `script:${place.dir}/turns.yaml` });
  const lines = shown(ran.events).map((line) => line.replace(/ {2}[\d.]+ m?s$/, ''));
  expect(lines).toEqual([
    '  ↻ rounds  round 1 (rounds/0)',
    '    · next: a note',
    '    ✓ next  OUTLINE / 1. outline',
    '    ✓ subagent  wrote a.md (5 bytes)  1 round',
    '  ↻ rounds  round 2 (rounds/1)',
    '    · next: a note',
    '    ✓ next  CHECK / 2. check',
    '    ✗ command  the command exited with 3',
  ]);
});

it('says the calls of a model and the answers that were refused where each is asked for', () => {
  const call = { type: 'tool', path: 'a', round: 1, name: 'resolve', ms: 1 } as const;
  const refused = { type: 'answer_refused', path: 'a', round: 1, problems: ['/word: is missing'] } as const;
  const lines = shown([begun('a'), { ...call, ok: false }, refused, { ...call, ok: true }], {}, { verbose: true });
  expect(lines).toEqual(['  ✗ a  resolve', '  ✗ a  the answer was sent back: /word: is missing', '  → a  resolve']);
});

it('says of a stop on one line no more than a whole sentence', () => {
  const stopped = { type: 'step_stopped', path: 'a', fault: fault('this differs:\n+ a\n- b') } as const;
  expect(shown([begun('a'), stopped]).at(-1)).toBe('  ■ a  stopped: this differs');
});

it('leaves nothing out of what is to be known of the run as a whole, also where it is narrow', () => {
  const text = `a run of this query exists already, ${'and more is said of it, '.repeat(8)}last words`;
  const lines = shown([{ type: 'notice', text }], { live: true, columns: () => 40 });
  expect(lines.join(' ')).toContain('last words');
});

it('has the names of inner steps in one column with what stands behind them', async () => {
  const place = project({ 'skills/drive/scripts/run.sh': SCRIPT, 'turns.yaml': 'turns: [{ text: hello }]\n' });
  let text = '';
  const screen = { live: true, color: false, columns: () => 100, rows: () => 24, cursor: () => undefined };
  const write = (more: string) => {
    text += more;
  };
  const sink = terminalSink({ ...screen, write });
  const model = `script:${place.dir}/turns.yaml`;
  await place.run({ target: 'drive', model, sinks: [sink], onStart: ({ plan, used }) => sink.expect(plan, used) });
  void sink.close?.();
  const rows = plainLines(text)
    .split('\n')
    .filter((line) => /✓ (next|subagent) /.test(line));
  const columns = rows.map((row) => /(?:OUTLINE|CHECK|wrote)/.exec(row.slice(row.lastIndexOf('✓')))?.index);
  expect(new Set(columns).size, rows.join('\n')).toBe(1);
  expect(rows.length).toBeGreaterThan(1);
});
