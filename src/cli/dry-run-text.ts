/** A dry run as a person reads it: the plan in order, what is known of each step, what it can cost. */

import { columnsOf, wordsIn } from '../core/columns.js';
import { plainText } from '../core/plain-text.js';
import { duration } from '../core/words.js';
import type { DryRun } from '../forecast/dry-run.js';
import type { DryStep } from '../forecast/dry-step.js';
import type { DryText } from '../forecast/texts.js';
import { here } from './output.js';
import { grouped, usdText, worstCaseText } from './worst-case.js';

/** So many lines of a text are shown. */
const LINES = 10;
const COMMAND_LINES = 3;
/** So many programs are named. */
const PROGRAMS = 12;

/**
 * @param models what stands behind each role and each fallback, null if the configuration does not say
 * @param columns of the terminal; undefined where nobody looks at it
 * @param unknown what is said of a model that the configuration does not tell; '' for nothing
 */
export function dryRunText(
  dry: DryRun,
  models: Readonly<Record<string, string | null>>,
  columns?: number,
  unknown = '',
): string {
  const { problems, notes } = dry;
  const lines = [
    `${plainText(dry.skill)}  ${here(dry.file)}`,
    ...facts(dry, models, unknown).map(([name = '', text = '']) => `  ${name.padEnd(8)}  ${text}`),
    '',
    'Steps, in order',
    ...dry.steps.flatMap((step) => stepLines(step, 1, false)),
    ...(problems.length + notes.length === 0 ? [] : ['']),
    ...problems.map((problem) => `✗ ${plainText(problem)}`),
    ...notes.map((note) => `! ${plainText(note)}`),
    '',
    'Dry run: nothing was started, asked or written.',
  ];
  return (columns === undefined ? lines : lines.flatMap((line) => wrapped(line, columns))).join('\n');
}

/** What does not fit goes on below where the text of the line began. */
function wrapped(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line];
  const lead = /^ *(\S+(?: [\d/]+)? {2,})?/.exec(line)?.[0].length ?? 0;
  const hang = ' '.repeat(Math.min(lead, Math.floor(columns / 2)));
  const lines: string[] = [];
  let rest = line;
  while (columnsOf(rest) > columns) {
    const cut = cutAt(rest, columns, lines.length === 0 ? lead : hang.length);
    lines.push(rest.slice(0, cut).trimEnd());
    rest = hang + rest.slice(cut).trimStart();
  }
  return [...lines, rest];
}

/** The last blank that fits, else the last character that fits. */
function cutAt(text: string, columns: number, lead: number): number {
  let fits = 0;
  let used = 0;
  for (const character of text) {
    used += columnsOf(character);
    if (used > columns && fits > lead) break;
    fits += character.length;
  }
  let blank = text.lastIndexOf(' ', fits);
  while (blank > lead && wordsIn(text.slice(Math.max(0, blank - 1), blank + 5)).length === 1)
    blank = text.lastIndexOf(' ', blank - 1);
  return blank > lead ? blank : fits;
}

function facts(dry: DryRun, models: Readonly<Record<string, string | null>>, unknown: string): string[][] {
  const { query, inputs, worst, fallbacks, programs, confined, permissions } = dry;
  const { read, write, env } = permissions;
  const given = Object.entries(inputs).map(([name, value]) => `${name}=${shown(value)}`);
  const roles = Object.keys(worst.callsByModel);
  const named = (role: string) => {
    const meant = models[role] ?? (role.includes('/') ? '' : unknown);
    return plainText(meant === '' || meant === role ? role : `${role} (${meant})`);
  };
  const standIns = fallbacks.length === 0 ? '' : `; falls back to ${fallbacks.map(named).join(', ')}`;
  return [
    ['query', plainText(query) || '(empty)'],
    ...(given.length === 0 ? [] : [['inputs', given.join(', ')]]),
    ...(roles.length === 0 ? [] : [['models', `${roles.map(named).join(', ')}${standIns}`]]),
    ['calls', worstCaseText(worst)],
    ['cost', costText(dry)],
    [
      'reads',
      [
        'the run and its skill',
        ...read.map(here),
        ...sandboxed(confined, 'the system'),
        ...beyond(programs, 'read'),
      ].join(', '),
    ],
    ['writes', ['the run', ...write.map(here), ...beyond(programs, 'write')].join(', ')],
    ...(env.length === 0 ? [] : [['env', env.map(plainText).join(', ')]]),
    [
      'network',
      networkText(
        [...roles, ...fallbacks].some((name) => !isEmbedded(models[name])),
        permissions.network ? confined : [],
        programs.length > 0,
      ),
    ],
    ['starts', startsText(programs, confined)],
  ];
}

function shown(value: unknown): string {
  if (Array.isArray(value) && value.length > 3) return `(${grouped(value.length)} items)`;
  const text = plainText(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Answers from this program or a file. */
function isEmbedded(label: string | null | undefined): boolean {
  return /^(sketch(\/|$)|script:|replay$)/.test(label ?? '');
}

/** Processes are not confined to the folders of the permissions. */
function beyond(programs: readonly string[], verb: 'read' | 'write'): string[] {
  return programs.length === 0 ? [] : [`whatever programs ${verb}: they are not confined`];
}

/** What is said of the commands of agents, which the sandbox confines. */
function sandboxed(confined: readonly string[], what: string): string[] {
  return confined.length === 0 ? [] : [`${what} (${confined.map(plainText).join(', ')}, in the sandbox)`];
}

function startsText(programs: readonly string[], confined: readonly string[]): string {
  const both = [
    ...(programs.length === 0 ? [] : [programsText(programs)]),
    ...sandboxed(confined, 'commands that a model writes'),
  ];
  return both.length === 0 ? 'no program' : both.join(', ');
}

function programsText(programs: readonly string[]): string {
  const left = programs.length - PROGRAMS;
  return [...programs.slice(0, PROGRAMS).map(plainText), ...(left > 0 ? [`… ${grouped(left)} more`] : [])].join(', ');
}

function networkText(asksModels: boolean, permitted: readonly string[], starts: boolean): string {
  const who = [
    ...(asksModels ? ['the models'] : []),
    ...sandboxed(permitted, 'commands that a model writes'),
    ...(starts ? ['what the programs do'] : []),
  ];
  return who.length === 0 ? 'none' : who.join(', ');
}

function costText({ cost }: DryRun): string {
  switch (cost.type) {
    case 'none':
      return 'nothing: no model is called';
    case 'unpriced':
      return `unpriced: no price is known for ${cost.models.map(plainText).join(', ')}`;
    case 'range':
      return cost.mostUsd === 0
        ? 'nothing: the models are free'
        : `from about ${usdText(cost.leastUsd)} (each agent answers at once) to at most ${usdText(cost.mostUsd)}`;
  }
}

/** @param again it stands in a loop, so its bounds hold each time */
function stepLines(step: DryStep, depth: number, again: boolean): string[] {
  const indent = '  '.repeat(depth);
  const title = step.title.toLowerCase() === step.id ? '' : `  ${plainText(step.title)}`;
  const head = `${indent}${step.id}  ${step.kind}${loopMark(step)}${title}`;
  const notes = notesOf(step, again).map(
    ([name = '', text = '']) => `${indent}    ${name.padEnd(8)}  ${plainText(text)}`,
  );
  if (step.endedBy !== undefined) return [head, `${indent}    not reached: the run has ended (${step.endedBy})`];
  if (step.when?.holds === false) return [head, ...notes];
  const loops = again || step.foreach !== undefined || step.repeat !== undefined;
  const texts = step.texts.flatMap((text) => textLines(text, `${indent}    `));
  return [head, ...notes, ...texts, ...(step.steps ?? []).flatMap((inner) => stepLines(inner, depth + 1, loops))];
}

function loopMark({ foreach, repeat }: DryStep): string {
  const items = foreach && (foreach.items === undefined ? ` ×max ${foreach.maxItems}` : ` ×${foreach.items}`);
  return `${items ?? ''}${repeat ? ` ↻ max ${repeat.max}` : ''}`;
}

function notesOf(step: DryStep, again: boolean): string[][] {
  const { when, foreach, repeat, models, tools, calls, attempts, timeoutMs } = step;
  const model = models.filter((name) => name !== 'default').join(', ');
  const bounds = [
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(timeoutMs === undefined ? [] : [`${duration(timeoutMs)}${attempts > 1 ? ' each' : ''}`]),
    ...(step.limits.tokens === undefined ? [] : [`${grouped(step.limits.tokens)} tokens in all`]),
    ...(step.limits.usd === undefined ? [] : [`${usdText(step.limits.usd)} in all`]),
    ...(step.limits.timeMs === undefined ? [] : [`${duration(step.limits.timeMs)} in all`]),
    ...(step.onError === 'continue' ? ['the run goes on if it fails'] : []),
    ...(step.effect === 'once' ? ['not repeated by itself'] : []),
  ];
  const condition = when ? [['when', `${when.source}${verdict(when.holds)}`]] : [];
  if (when?.holds === false) return condition;
  return [
    ...condition,
    ...(foreach ? [['each of', foreach.over]] : []),
    ...(repeat ? [['until', `${repeat.until}${repeat.onMax === 'accept' ? ', else the last is taken' : ''}`]] : []),
    ...(model === '' ? [] : [['model', model]]),
    ...(tools.length === 0 ? [] : [['tools', tools.join(', ')]]),
    ...(calls === 0 ? [] : [['calls', `at most ${grouped(calls)}${again ? ' each time' : ''}`]]),
    ...(bounds.length === 0 ? [] : [['bounds', bounds.join(', ')]]),
    ...(step.saves.length === 0 ? [] : [['saves', step.saves.join(', ')]]),
    ...(step.artifacts.length === 0 ? [] : [['leaves', step.artifacts.join(', ')]]),
  ];
}

function verdict(holds: boolean | undefined): string {
  if (holds === undefined) return '';
  return holds ? '  (true: it runs)' : '  (false: it is skipped)';
}

function textLines({ key, samples, waitsFor }: DryText, indent: string): string[] {
  const most = key === 'prompt' ? LINES : COMMAND_LINES;
  const isCommand = key !== 'prompt';
  if (waitsFor.length > 0 && !isCommand) return [`${indent}${key.padEnd(8)}  known after ${sources(waitsFor)}`];
  return samples.flatMap(({ path, text, fails }) => {
    const lines = text.trimEnd().split('\n').map(plainText);
    const left = lines.length - most;
    const name = path === undefined ? key : `${key} ${itemsIn(path)}`;
    const [first = '', ...rest] = lines.slice(0, most);
    const body = rest.map((line) => `${indent}${' '.repeat(10)}${line}`.trimEnd());
    const more = left > 0 ? [`${indent}${' '.repeat(10)}… ${left} more ${left === 1 ? 'line' : 'lines'}`] : [];
    const failure = fails === undefined ? [] : [`${indent}${' '.repeat(10)}✗ ${plainText(fails)}`];
    return [`${indent}${name.padEnd(8)}  ${first}`, ...body, ...more, ...failure];
  });
}

/** `each/3/inner/0`: `3/0`. */
function itemsIn(path: string): string {
  return path
    .split('/')
    .filter((part) => /^\d/.test(part))
    .join('/');
}

/** `intake, merge`: the steps and what else only the run tells. */
function sources(waitsFor: readonly string[]): string {
  const names = waitsFor.map((path) => {
    const [root = '', id] = path.split(/[.[]/);
    return root === 'steps' && id ? id : root === 'run' ? 'the start' : root;
  });
  return plainText([...new Set(names)].join(', '));
}
