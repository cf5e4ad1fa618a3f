import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import markdownIt from 'markdown-it';
import { expect, it, onTestFinished } from 'vitest';
import type { Recorded, RunEvent } from '../../src/core/events.js';
import { NO_USAGE } from '../../src/core/usage.js';
import { stepSummarySink } from '../../src/sinks/step-summary.js';

const CENSUS = { asked: 2, done: 1, failed: 1, skipped: 0, open: 0, reused: 0 };
const USAGE = { ...NO_USAGE, calls: 3, inputTokens: 1_200, outputTokens: 300, usd: 0.012 };
const GO_ON = 'pipeline resume essay/tea';

function summaryOf(events: readonly RunEvent[], before = '', name = 'essay/tea') {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-summary-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'summary.md');
  writeFileSync(file, before);
  const troubles: string[] = [];
  const sink = stepSummarySink(
    file,
    () => ({ name, goOn: GO_ON }),
    (reason) => troubles.push(reason),
  );
  for (const [at, event] of events.entries()) {
    sink.write({ seq: at + 1, at: '2030-01-02T03:04:05.678Z', ...event } as Recorded);
  }
  return { text: readFileSync(file, 'utf8'), bytes: statSync(file).size, troubles };
}

function ended(more: Partial<Extract<RunEvent, { type: 'run_ended' }>> = {}): RunEvent {
  return {
    type: 'run_ended',
    status: 'failed',
    exit: 1,
    outcome: 'failed',
    message: 'step "audit" failed',
    census: CENSUS,
    usage: USAGE,
    result: null,
    ms: 61_000,
    ...more,
  };
}

function failed(path: string, message: string): RunEvent {
  return { type: 'step_failed', path, fault: { code: 'agent.schema', message }, ms: 900 };
}

const DONE: RunEvent = { type: 'step_done', path: 'draft', key: 'k', output: null, artifacts: [], ms: 1_500 };

it('tells the status, the counts, a row for each step, the cost and how the run is gone on with', () => {
  const round = { type: 'round', path: 'draft', round: 1, calls: [], model: 'm', ms: 9, usd: 0.012 } as const;
  const usage = { inputTokens: 1_200, outputTokens: 300, cachedTokens: 0 };
  const { text, troubles } = summaryOf([{ ...round, usage }, DONE, failed('audit', 'no title'), ended()], 'earlier\n');
  expect(troubles).toEqual([]);
  expect(text).toMatchInlineSnapshot(`
    "earlier
    ### ❌ pipeline \`essay/tea\`: failed

    2 steps, 1 done, 1 failed, 3 model calls, 1.5k tokens, $0.012, 1 min 1 s

    \`step "audit" failed\`

    | step | status | time | rounds | tokens | cost | |
    |---|---|--:|--:|--:|--:|---|
    | \`draft\` | \`done\` | 1.5 s | 1 | 1.5k tokens | &#36;0.012 |  |
    | \`audit\` | \`failed\` | 900 ms |  |  |  | \`no title\` |

    Go on: \`pipeline resume essay/tea\`

    "
  `);
});

it('says nothing of going on where the run is done', () => {
  expect(summaryOf([DONE, ended({ status: 'done', outcome: 'done', message: '' })]).text).not.toContain('Go on');
});

const HOSTILE = [
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '[click](javascript:alert(1)) ![x](https://evil.example/x.png)',
  'a | b | c\\| d \\\\| e',
  '`` ` ``` code ~~~ </code></table>',
  'line\nbreak\r\n# heading\n\n- item',
  '@somebody #1 https://evil.example www.evil.example',
  '\u001b[31mred\u001b[0m \u202Eturned \u0000',
  '$x$ **bold** _it_ &lt;b&gt; :smile:',
  '`',
  '``',
];

it.each(HOSTILE)('shows %j as text: no markup, no link, no further cell', (text) => {
  const outcome = { outcome: text, message: text, fault: { code: 'agent.schema', message: text, hint: text } as const };
  const { text: summary } = summaryOf([failed(text, text), failed('b', 'plain'), ended(outcome)], '', text);
  const html = markdownIt({ html: true, linkify: true }).render(summary);
  const tags = new Set([...html.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag));
  expect(
    [...tags].filter((tag) => !['h3', 'p', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td'].includes(tag ?? '')),
  ).toEqual([]);
  expect(html.match(/<td/g)).toHaveLength(2 * 7);
  expect(html.match(/<h3/g)).toHaveLength(1);
  const outside = html.replace(/<code>[\s\S]*?<\/code>/g, '');
  for (const foreign of ['evil', 'somebody', 'bold', 'alert', 'smile', 'item']) expect(outside).not.toContain(foreign);
});

it('stays small for a run of many steps, and names what failed among them', () => {
  const many = Array.from({ length: 3_000 }, (_, at): RunEvent => ({ ...DONE, path: `search/${at}` }) as RunEvent);
  const { text, bytes } = summaryOf([...many, failed('search/3000', 'x'.repeat(50_000)), ended()]);
  expect(bytes).toBeLessThan(50_000);
  expect(text).toContain('`search/3000` | `failed`');
  expect(text).toContain('… and 2901 steps more');
});

it('adds nothing to a file that would become larger than what is shown, and says so', () => {
  const before = 'x'.repeat(999_900);
  const { text, troubles } = summaryOf([DONE, ended()], before);
  expect(text).toBe(before);
  expect(troubles).toEqual(['it would be larger than 1 MB, which is not shown']);
});
