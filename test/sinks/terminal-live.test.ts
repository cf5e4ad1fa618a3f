/** What a person sees while a run goes on, on a terminal that obeys what is written to it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { columnsOf } from '../../src/core/columns.js';
import type { Recorded, RunEvent } from '../../src/core/events.js';
import { NO_USAGE } from '../../src/core/usage.js';
import { checkPipeline } from '../../src/run.js';
import { fold } from '../../src/sinks/terminal/fold.js';
import { newProgress } from '../../src/sinks/terminal/progress.js';
import { type TerminalSink, terminalSink } from '../../src/sinks/terminal.js';
import * as facts from '../support/facts.js';
import { project } from '../support/project.js';
import { type VirtualScreen, virtualScreen } from '../support/virtual-screen.js';

const begun = (path: string, key = 'k', title = path.split('/').findLast((id) => !/^\d+$/.test(id)) ?? path) =>
  facts.began(path, { key, title });
const done = (path: string, key = 'k') => facts.done(path, { key, ms: 90 });
const failed = (path: string, message = 'no') =>
  facts.failed(path, 'step.assert', { fault: { code: 'step.assert', message } });
const loop = (path: string, count: number, of: 'items' | 'rounds' = 'items'): RunEvent => ({
  type: 'loop',
  path,
  of,
  count,
});
const round = (path: string, number: number, tokens: number, usd?: number) =>
  facts.round(path, number, {
    usage: { inputTokens: tokens, outputTokens: 0, cachedTokens: 0 },
    ...(usd === undefined ? {} : { usd }),
  });

interface Shown {
  readonly screen: VirtualScreen;
  readonly sink: TerminalSink;
  write(...events: readonly RunEvent[]): void;
  /** As after the next frame. */
  seen(): string[];
}

function shown(columns = 100, rows = 24): Shown {
  const screen = virtualScreen({ columns, rows });
  const sink = terminalSink(screen);
  onTestFinished(() => sink.close?.());
  let seq = 0;
  return {
    screen,
    sink,
    write(...events) {
      for (const event of events) sink.write({ ...event, seq: ++seq, at: new Date().toISOString() } as Recorded);
    },
    seen() {
      // A frame is drawn where the screen was lent and is given back.
      sink.hold()();
      return screen.lines();
    },
  };
}

describe('what runs', () => {
  it('shows each step with its rounds, tools, tokens and cost, its tool or the end of what its model says', () => {
    const { write, seen, sink } = shown();
    write(begun('audit', 'k', 'Audit it'), round('audit', 2, 1_200, 0.0031));
    expect(seen()[0]).toMatch(/^ {2}\S audit {4,}Audit it {3,}2 rounds {3,}1\.2k tokens {2,}\$0\.0031 {2,}\d+\.\d s$/);
    write({ type: 'tool', path: 'audit', round: 3, name: 'read_file', ok: true, ms: 1, target: 'notes.md' });
    expect(seen()[0]).toMatch(/audit {4,}read_file notes\.md {3,}2 rounds {3}1 tool/);
    sink.delta('audit', { type: 'text', text: 'First line.\nIt is \u001b[31mthe mechanism' });
    sink.delta('audit', { type: 'text', text: ` that ${'x'.repeat(30)} holds.` });
    expect(seen()[0]).toMatch(/audit {2,}….*x holds\. {2,}2 rounds/);
  });

  it('counts a loop over items with a bar, and says how many failed', () => {
    const { write, seen } = shown();
    write(loop('cards', 50));
    for (let at = 0; at < 12; at++) write(begun(`cards/${at}`), at === 3 ? failed(`cards/${at}`) : done(`cards/${at}`));
    write(begun('cards/12'), begun('cards/13'));
    const lines = seen();
    expect(lines.find((line) => line.includes('cards '))).toMatch(/cards +━{5}─{15} 12\/50 {2}1 failed/);
    expect(lines.filter((line) => /^ {4}\S cards\/1[23] /.test(line))).toHaveLength(2);
  });

  it('names the round of a loop, its steps below it, and the tokens that they used together', () => {
    const { write, seen } = shown();
    write(loop('rounds', 1, 'rounds'), begun('rounds/0', ''), begun('rounds/0/audit'), round('rounds/0/audit', 1, 700));
    write(done('rounds/0/audit'), begun('rounds/0/fix'), round('rounds/0/fix', 1, 300));
    const lines = seen();
    expect(lines[0]).toBe('  ↻ rounds  round 1 (rounds/0)');
    expect(lines[1]).toMatch(/^ {4}✓ audit .* 700 tokens .*90 ms$/);
    expect(lines[2]).toMatch(/^ {2}▸ rounds +round 1 .* 1\.0k tokens/);
    expect(lines[3]).toMatch(/^ {4}\S fix .* 300 tokens/);
  });

  it('writes the name of a group above the lines of its steps', () => {
    const { write, seen } = shown();
    write(begun('g', '', 'The group'), begun('g/a'), done('g/a'), begun('g/b'), done('g/b'));
    expect(
      seen()
        .slice(0, 3)
        .map((line) => line.slice(0, 24).trimEnd()),
    ).toEqual(['  ▸ g  The group', '    ✓ a', '    ✓ b']);
  });

  it('makes one line of steps that are skipped for the same reason', () => {
    const { write, seen } = shown();
    const skipped = (path: string, reason = 'ended by e'): RunEvent => ({ type: 'step_skipped', path, reason });
    write(
      begun('a'),
      done('a'),
      ...['b', 'c', 'd', 'e', 'f'].map((path) => skipped(path)),
      skipped('g', 'when x is false'),
    );
    expect(seen().slice(1, 3)).toEqual([
      '  - b, c, d and 2 more  skipped: ended by e',
      '  - g  skipped: when x is false',
    ]);
  });
});

describe('the total', () => {
  const limited = async () => {
    const file = `version: 1
name: t
limits: { tokens: 100000, usd: 2 }
steps:
  - { id: a, set: { x: 1 } }
  - { id: f, foreach: [1, 2, 3, 4], set: { x: '\${{ item }}' } }
  - { id: z, set: { x: 1 } }
`;
    const { dir } = project({ 'pipeline.yaml': file });
    const { plan, problems } = await checkPipeline('./pipeline.yaml', { cwd: dir, env: { HOME: dir } });
    if (!plan) throw new Error(JSON.stringify(problems));
    return plan;
  };

  it('counts steps against those that the plan is known to have, tokens and cost against their limits', async () => {
    const { write, seen, sink } = shown();
    sink.expect(await limited(), { ...NO_USAGE, inputTokens: 2_000, usd: 0.5 });
    write(begun('a'), round('a', 1, 10_000, 0.25));
    expect(seen().at(-1)).toMatch(/^ {2}\d+ s · 0\/3\+ steps · 12\.0k\/100k tokens · \$0\.75\/\$2\.00$/);
    write(done('a'), loop('f', 4), begun('f/0'), done('f/0'), begun('f/1'));
    expect(seen().at(-1)).toMatch(/^ {2}\d+ s · 2\/6 steps · 12\.0k\/100k tokens · \$0\.75\/\$2\.00$/);
  });

  it('says of a loop how long it goes on once three of its items are done, and not of reused ones', () => {
    const { write, seen } = shown();
    write(loop('f', 10));
    for (let at = 0; at < 3; at++) {
      write(facts.reused(`f/${at}`));
    }
    write(begun('f/3'), done('f/3'), begun('f/4'), done('f/4'));
    expect(seen().at(-1)).not.toContain('left in');
    write(begun('f/5'), done('f/5'), begun('f/6'));
    expect(seen().at(-1)).toMatch(/about \d+ s left in f, by 3 done$/);
  });
});

describe('the screen', () => {
  const many = (write: Shown['write'], count: number) => {
    write(loop('f', count));
    for (let at = 0; at < count; at++) write(begun(`f/${at}`, 'k', '平安夜的烟花'));
  };

  it.each([
    [100, 24],
    [40, 12],
    [20, 6],
    [100, 4],
  ])('is never used beyond its %i columns and %i rows, however many steps run', (columns, rows) => {
    const { write, seen } = shown(columns, rows);
    many(write, 64);
    const lines = seen();
    expect(lines.length).toBeLessThan(rows);
    for (const line of lines) expect(columnsOf(line)).toBeLessThan(columns);
  });

  it('keeps its columns straight with wide characters', () => {
    const { write, seen } = shown();
    const titles = ['平安夜的烟花', 'an ordinary title', '🎆 Feuerwerk', 'かな', 'e\u0301te\u0301'];
    for (const [at, title] of titles.entries())
      write(begun(`s${at}`, 'k', title), round(`s${at}`, 1, 900), done(`s${at}`));
    const lines = seen().filter((line) => line.includes('✓'));
    expect(lines).toHaveLength(titles.length);
    expect(new Set(lines.map((line) => columnsOf(line.slice(0, line.indexOf('1 round')))))).toHaveProperty('size', 1);
    expect(new Set(lines.map(columnsOf))).toHaveProperty('size', 1);
  });

  it('holds nothing of an earlier frame after it became narrower and wider', () => {
    const { write, seen, screen } = shown(100);
    many(write, 3);
    seen();
    screen.resize(30);
    expect(seen().filter((line) => /^ {4}\S f\/1 /.test(line))).toHaveLength(1);
    screen.resize(100);
    expect(seen()).toHaveLength(5);
  });

  it('holds the finished steps alone when the run has ended, with the cursor shown', () => {
    const { write, screen } = shown();
    write(begun('a'), done('a'), begun('b'));
    expect(screen.isCursorShown()).toBe(false);
    write({ ...ENDED });
    expect(screen.lines()).toHaveLength(1);
    expect(screen.isCursorShown()).toBe(true);
  });

  it('is left to a question, and gets afterwards what was to be said meanwhile', () => {
    const { write, sink, screen } = shown();
    write(begun('a'), begun('b'));
    const giveBack = sink.hold();
    expect([screen.lines(), screen.isCursorShown()]).toEqual([[], true]);
    write(done('a'));
    expect(screen.lines()).toEqual([]);
    giveBack();
    expect(screen.lines()[0]).toMatch(/✓ a/);
  });

  it('gets each frame in one write', () => {
    const { write, screen, seen } = shown();
    write(begun('a'), begun('b'));
    seen();
    const before = screen.written.length;
    write(done('a'));
    expect(screen.written.length - before).toBe(1);
  });
});

describe('a long run', () => {
  it('ui-04: is held in as much memory after 10 000 steps as after 500: what has settled is forgotten', () => {
    const progress = newProgress();
    const tell = (event: RunEvent, seq: number) => fold(progress, { ...event, seq, at: '2026-01-05T09:30:00.000Z' });
    const sizes = () => {
      const { steps, groups, items, seen, stopped } = progress;
      return [steps, groups, items, seen, stopped].map(({ size }) => size);
    };
    const item = (at: number): RunEvent[] => [
      begun(`each/${at}`, ''),
      begun(`each/${at}/ask`),
      round(`each/${at}/ask`, 1, 10),
      { type: 'step_stopped', path: `each/${at}/ask`, fault: { code: 'run.limit', message: 'too many' } },
      begun(`each/${at}/ask`),
      at % 3 === 0 ? failed(`each/${at}/ask`) : done(`each/${at}/ask`),
      { type: 'step_skipped', path: `each/${at}/late`, reason: 'blocked by ask' },
      at % 3 === 0 ? failed(`each/${at}`) : done(`each/${at}`, ''),
    ];
    tell(loop('each', 10_000), 0);
    for (let at = 0; at < 500; at++) for (const event of item(at)) tell(event, at);
    const early = sizes();
    for (let at = 500; at < 10_000; at++) for (const event of item(at)) tell(event, at);
    expect(sizes()).toEqual(early);
    expect(progress.settled).toBeGreaterThanOrEqual(20_000);
    tell(done('each', ''), 1);
    expect(sizes().slice(0, 3)).toEqual([0, 0, 0]);
  });
});

const ENDED: RunEvent = {
  type: 'run_ended',
  status: 'cancelled',
  exit: 130,
  outcome: 'cancelled',
  message: '',
  census: { asked: 2, done: 1, failed: 0, skipped: 0, open: 1, reused: 0 },
  usage: NO_USAGE,
  result: null,
  ms: 1,
};
