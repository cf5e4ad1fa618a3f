/** What `pipeline simulate` says: how far it is, what was found, as text and as a document. */
import { relative } from 'node:path';
import type { Json } from '../core/json.js';
import { plainText } from '../core/plain-text.js';
import type { Plan } from '../core/plan.js';
import { shellWord } from '../core/shell-word.js';
import { counted, duration } from '../core/words.js';
import type { Outcome } from '../simulate/campaign.js';
import type { Found } from '../simulate/found/cut-down.js';
import { neverIn } from '../simulate/promises/coverage.js';
import type { Progress } from '../simulate/workers.js';
import type { Screen } from '../sinks/terminal/screen.js';
import { BROKEN } from '../testing/claims.js';
import type { Asked, Bounds } from './simulate-asked.js';
import type { Shown } from './simulate-tests.js';
import { wrapped } from './wrapped.js';

export interface Report {
  readonly asked: Asked;
  readonly outcome: Outcome;
  readonly ms: number;
  /** By the keys of what was found. */
  readonly shown: ReadonlyMap<string, Shown>;
}

export const CLEAR = '\r\u001b[2K';

/** `press  604 runs · 2 found · 8 of 30 s`. */
export function progressText(name: string, progress: Progress, { runs, timeMs }: Bounds, ms: number, columns: number) {
  const made = Number.isSafeInteger(runs + 1)
    ? `${progress.runs} of ${counted(runs, 'run')}`
    : counted(progress.runs, 'run');
  const time =
    timeMs < 24 * 3_600_000
      ? `${(Math.min(Math.floor(ms), timeMs) / 1_000) | 0} of ${Math.ceil(timeMs / 1_000)} s`
      : `${Math.floor(ms / 1_000)} s`;
  const found = progress.found === 0 ? [] : [`${progress.found} found`];
  const rest = [made, ...found, progress.isCutting ? 'cutting it down' : time].join(' · ');
  const room = Math.max(0, columns - rest.length - 3);
  return `${CLEAR}${`${plainText(name).slice(0, room)}  ${rest}`.slice(0, columns - 1)}\r`;
}

interface How {
  readonly screen: Screen;
  readonly seed: string;
  /** The command that shows the run of a seed again. */
  again(seed: string): string;
}

export function reportText({ asked, outcome, ms, shown }: Report, plan: Plan, { screen, seed, again }: How): string {
  const paint = (code: number, text: string) => (screen.color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { name } = asked.simulation;
  const head = name === '' ? paint(1, plan.name) : `${paint(1, plan.name)}  ${plainText(name)}`;
  const found = outcome.found.flatMap((one) => foundLines(one, shown.get(one.key), again, paint));
  const never = neverIn(new Map(outcome.coverage));
  const came = outcome.coverage.length - never.length;
  const statuses = Object.entries(outcome.statuses)
    .sort(([, a], [, b]) => b - a)
    .map(([status, count]) => `${status} ${count}`);
  const clear =
    outcome.runs === 0
      ? `  ${paint(31, '✗')} no run was made: give it more time`
      : `  ${paint(32, '✓')} nothing was broken`;
  const lines = [
    head,
    ...(found.length > 0 ? found : [clear]),
    `  ${counted(outcome.runs, 'run')} in ${duration(ms)}, ${counted(outcome.sessions, 'session')}${statuses.length > 0 ? `: ${statuses.join(', ')}` : ''}`,
    ...(asked.compiled.queries.every((one) => one.trim() === '')
      ? ['  each with an empty query: nothing gives one, and the skill has no description']
      : []),
    `  came to ${came} of ${outcome.coverage.length} places${never.length > 0 ? '; to these no run came:' : ''}`,
    ...never.map((place) => `    ${place}`),
    paint(2, `  seed ${seed}`),
  ];
  const columns = Math.max(40, screen.columns());
  // A command stays in one piece, so that it can be copied.
  return lines.map((line) => (COMMAND.test(line) ? line : wrapped(line, columns))).join('\n');
}

const COMMAND = /^ {2}(?:try|test|run) {2,3}pipeline /;

function foundLines(
  { key, violation, story, seed, choices, isCut }: Found,
  shown: Shown | undefined,
  again: (seed: string) => string,
  paint: (code: number, text: string) => string,
): string[] {
  const test = shown && 'file' in shown ? `pipeline test ${shellWord(relative(process.cwd(), shown.file))}` : undefined;
  const isPromise = violation.type === 'promise';
  // An author's own words say what broke; an expression, a promise and what cannot be told need more.
  const isPlain = Object.values<string>(BROKEN).includes(violation.said) && !key.endsWith(` ${violation.what}`);
  const said = isPlain ? [] : [plainText(violation.said)];
  const how = isCut ? `cut down to ${counted(choices, 'choice')}` : `not cut down: ${counted(choices, 'choice')}`;
  const became = shown && ('why' in shown ? `no test: ${shown.why}` : BECAME[shown.became]);
  return [
    `  ${paint(31, '✗')} ${plainText(violation.what)}`,
    ...[...said, plainText(story)].map((line) => `      ${line}`),
    `      ${paint(2, `seed ${seed}, ${how}`)}`,
    ...(became ? [`      ${paint(2, plainText(became))}`] : []),
    ...(isPromise && test ? [`  test  ${test}`] : []),
    ...(isPromise && !test ? [`  run   ${again(seed)}`] : []),
    isPromise
      ? `  try  This is a fault of pipeline, not of your file: tell us the file and ${test ? 'its test' : 'the seed'}.`
      : `  try  ${test ?? again(seed)}`,
  ];
}

const BECAME = {
  written: undefined,
  kept: 'its test was there and still fails: it is left as it is',
  replaced: 'its test was there and failed no more: it is replaced',
} as const;

/** Documented in docs/machine.md. */
export function reportsJson(reports: readonly Report[], seed: string, isInterrupted: boolean): Json {
  return {
    seed,
    ...(isInterrupted ? { interrupted: true } : {}),
    simulations: reports.map(({ asked, outcome, ms, shown }) => ({
      name: asked.simulation.name,
      ...(asked.simulation.file === '' ? {} : { file: asked.simulation.file }),
      runs: outcome.runs,
      sessions: outcome.sessions,
      ms: Math.round(ms),
      statuses: { ...outcome.statuses },
      found: outcome.found.map((found) => foundJson(found, shown.get(found.key))),
      coverage: Object.fromEntries(outcome.coverage),
      unreached: neverIn(new Map(outcome.coverage)),
    })),
  };
}

function foundJson({ violation, story, seed, choices, taken, isCut }: Found, shown: Shown | undefined): Json {
  return {
    ...violation,
    story,
    seed,
    choices,
    cut: isCut,
    taken: Object.fromEntries(taken.map(([place, numbers]) => [place, [...numbers]])),
    ...(shown && 'file' in shown ? { test: shown.file, became: shown.became } : {}),
    ...(shown && 'why' in shown ? { untested: shown.why } : {}),
  };
}
