/** The differences of two runs as a person reads them. */

import { cutTo } from '../core/columns.js';
import { type Difference, members } from '../core/compare-json.js';
import type { UsageTotal } from '../core/events.js';
import type { Json } from '../core/json.js';
import { plainText } from '../core/plain-text.js';
import { FILES_OF_EARLIER_STEPS } from '../core/reasons.js';
import { idsOf } from '../core/step-path.js';
import { counted, duration, spentTexts } from '../core/words.js';
import { differenceLines, filesLines, holdsValues, isReadByAssert, keyLines } from './change-text.js';
import type { PartChange } from './compare-keys.js';
import type { RunComparison } from './compare-runs.js';
import { type StepComparison, settledAs } from './compare-step.js';
import type { Figures } from './run-side.js';
import { change, spoken } from './say.js';

/** Of a step's output, so many differences are shown. */
const MOST_DIFFERENCES = 4;
const MOST_COLUMNS = 200;
const MOST_NAMES = 12;
const MOST_LINES = 6;

/** @param names of the two runs */
export function comparisonText(
  compared: RunComparison,
  names: readonly [string, string],
  options: { readonly all: boolean },
): string {
  const { facts, steps, statuses, totals, models, result, files } = compared;
  const uneven = steps.filter(({ isEqual }) => !isEqual);
  const equal = steps.length - uneven.length;
  const shown = options.all ? steps : uneven;
  const head = [
    `${names[0]} → ${names[1]}`,
    ...facts.map(factText).map((fact) => `  ${fact}`),
    ...(statuses[0] === statuses[1] ? [] : [`  status ${statuses[0]} → ${statuses[1]}`]),
  ];
  const fromSteps = new Set(steps.flatMap((step) => step.files.map(({ path }) => path)));
  const otherFiles = files.filter(({ path }) => !fromSteps.has(path));
  return [
    head.join('\n'),
    `${counted(equal, 'step')} equal, ${uneven.length === 1 ? '1 differs' : `${uneven.length} differ`}`,
    ...alikeTexts(shown),
    ...(result.length > 0 ? [valueLines('result', result).join('\n')] : []),
    ...(otherFiles.length > 0 ? [filesLines('files', otherFiles).join('\n')] : []),
    [...modelLines(models), `total  ${figuresText(totals[0])} → ${figuresText(totals[1])}`].join('\n'),
  ].join('\n\n');
}

/** Items and rounds of one step that differ in the same way are said once. */
function alikeTexts(steps: readonly StepComparison[]): string[] {
  const groups = new Map<string, StepComparison[]>();
  for (const step of steps) {
    const [title = '', ...lines] = stepText(step).split('\n');
    const body = lines.filter((line) => !line.startsWith('  took '));
    const sort = JSON.stringify([idsOf(step.path), title.slice(step.path.length), body]);
    const group = groups.get(sort) ?? [];
    groups.set(sort, group);
    group.push(step);
  }
  return [...groups.values()].map(([first, ...others]) => {
    const text = first ? stepText(first) : '';
    if (others.length === 0) return text;
    const names = others.slice(0, MOST_NAMES).map(({ path }) => path);
    const more = others.length > MOST_NAMES ? `, … ${others.length - MOST_NAMES} more` : '';
    return `${text}\nthe same holds for ${names.join(', ')}${more}`;
  });
}

function factText({ name, before, now }: RunComparison['facts'][number]): string {
  const isSet = name.startsWith('set ');
  if (before !== undefined && now !== undefined && !isSet) return `${plainText(name)} ${change({ before, now })}`;
  const shown = (value: Json | undefined) => (isSet ? textOf(value) : spoken(value ?? null));
  if (before !== undefined && now !== undefined) return `${plainText(name)} ${shown(before)} → ${shown(now)}`;
  return `${plainText(name)} ${shown(before ?? now)} (only in the ${before === undefined ? 'second' : 'first'} run)`;
}

/** As it was written on the command line. */
function textOf(value: Json | undefined): string {
  return cutTo(plainText(String(value)), MOST_COLUMNS);
}

function stepText(step: StepComparison): string {
  const { path, outcomes, files, words, figures } = step;
  if (step.isEqual) return `${path}  equal`;
  const [was, is] = [settledAs(outcomes[0]), settledAs(outcomes[1])];
  if (was === 'absent' || is === 'absent') {
    const many = step.steps === undefined ? '' : ` (${counted(step.steps, 'step')})`;
    return `${path}  only in the ${was === 'absent' ? 'second' : 'first'} run${many}`;
  }
  if (step.steps !== undefined) {
    const title = `${path}  ${was === is ? is : `${was} → ${is}`}, ${counted(step.steps, 'step')} in one run only`;
    return [title, ...wordLines(words).map((line) => `  ${line}`)].join('\n');
  }
  const bothDone = was === 'done' && is === 'done';
  const lines = [
    ...givenLines(step),
    ...(bothDone ? outputLines(step) : []),
    ...wordLines(words),
    ...(files.length > 0 ? filesLines('files', files) : []),
    ...(bothDone && figures.some(hasTaken) ? [`took ${figuresText(figures[0])} → ${figuresText(figures[1])}`] : []),
  ];
  return [`${path}  ${was === is ? is : `${was} → ${is}`}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** What is written for it in full; what comes from other steps in one line. */
function givenLines({ given, follows }: StepComparison): string[] {
  const isPassedOn = (one: PartChange) =>
    follows.length > 0
      ? holdsValues(one) || (one.type === 'lines' && !isWritten(one.part))
      : isReadByAssert(one) || one.part === FILES_OF_EARLIER_STEPS;
  const own = given.filter((one) => !isPassedOn(one));
  const names = given.filter((one) => isPassedOn(one) && !isReadByAssert(one)).map(({ name }) => plainText(name));
  const asserts = given.filter(isReadByAssert).length;
  const passedOn = [...names, ...(asserts > 0 ? [`what ${counted(asserts, 'assert')} read`] : [])];
  const source = follows.length > 0 ? `, from ${follows.join(', ')}` : '';
  return [
    ...keyLines(own, MOST_LINES, false),
    ...(passedOn.length > 0 ? [`${passedOn.join(', ')} changed${source}`] : []),
  ];
}

/** Never templated. */
function isWritten(part: string): boolean {
  return part === 'config.instructions' || part === 'config.run' || part.startsWith('assert.');
}

function outputLines({ output }: StepComparison): string[] {
  return output ? valueLines('output', output.differences, output.summary) : ['output: the same'];
}

/** @param summary of a value of which only parts are others */
function valueLines(name: string, found: readonly Difference[], summary?: string): string[] {
  const [first] = found;
  if (first?.place.length === 0) return [`${name} ${change(first)}`];
  const spell = (place: Difference['place']) => plainText(`${name}${members(place)}`);
  return [
    summary === undefined ? `${name} changed` : `${name}: ${summary}`,
    ...differenceLines(found, spell, MOST_DIFFERENCES),
  ];
}

/** Why it failed or was skipped, in one of them or in both. */
function wordLines([was, is]: StepComparison['words']): string[] {
  if (was === is) return [];
  const said = [was, is].filter((words) => words !== '').map((words) => cutTo(plainText(words), MOST_COLUMNS));
  return [said.join(' → ')];
}

function hasTaken({ calls, unknownCalls, ms }: Figures): boolean {
  return calls > 0 || unknownCalls > 0 || ms > 0;
}

function figuresText(figures: Figures): string {
  const { ms } = figures;
  const spent = callsTexts(figures);
  return spent.length === 0 && ms === 0 ? 'nothing' : [...spent, duration(ms)].join(', ');
}

/** Where one model answered in both runs, the total says it. */
function modelLines(models: RunComparison['models']): string[] {
  if (models.length < 2) return [];
  return models.map(({ model, usage: [was, is] }) => `${plainText(model)}  ${spentText(was)} → ${spentText(is)}`);
}

function spentText(usage: UsageTotal): string {
  return callsTexts(usage).join(', ') || 'nothing';
}

function callsTexts(usage: UsageTotal): string[] {
  const spent = spentTexts(usage, 'said');
  return spent.length === 0 ? [] : [counted(usage.calls, 'call'), ...spent];
}
