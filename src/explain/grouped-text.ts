/** Explanations of several items or rounds of a step: those that are alike are said once. */
import type { StepPath } from '../core/outcome.js';
import { counted } from '../core/words.js';
import type { Explanation } from './explain.js';
import { explanationText } from './explain-text.js';
import { outcomeWord } from './outcome-words.js';
import type { Reason } from './why.js';

/** Of one sort, so many are said in full. */
const MOST_OF_A_SORT = 3;
const MOST_NAMES = 12;

/** @param filesToOpen of a step that failed: where more is said */
export function explanationsText(
  name: string,
  all: readonly Explanation[],
  filesToOpen: (path: StepPath) => readonly string[],
): string {
  const full = (one: Explanation) => {
    const hint = 'fault' in one ? (one.fault?.hint ?? '') : '';
    const files = one.outcome === 'failed' ? filesToOpen(one.path).filter((file) => !hint.includes(file)) : [];
    return [explanationText(one), ...files.map((file) => `  see  ${file}`)].join('\n');
  };
  const [only] = all;
  if (only && all.length === 1) return full(only);
  const parts = [`${name}  ${total(all)}`];
  for (const alike of sorts(all)) {
    const isQuiet = alike[0]?.type === 'reused' || alike[0]?.type === 'skipped';
    const bodies = new Map(alike.map((one) => [one, isQuiet ? '' : bodyOf(one)]));
    const distinct = alike.filter(
      (one, at) => alike.findIndex((other) => bodies.get(other) === bodies.get(one)) === at,
    );
    const shown = distinct.slice(0, MOST_OF_A_SORT);
    const said = new Set(shown.map((one) => bodies.get(one)));
    const rest = alike.filter((one) => !shown.includes(one));
    const same = rest.filter((one) => said.has(bodies.get(one)));
    const like = rest.filter((one) => !same.includes(one));
    parts.push(
      [...shown.map(full), ...namesLine('the same holds for', same), ...namesLine('and alike', like)].join('\n'),
    );
  }
  return parts.join('\n\n');
}

function bodyOf(one: Explanation): string {
  return explanationText(one).split('\n').slice(1).join('\n');
}

function namesLine(words: string, alike: readonly Explanation[]): string[] {
  if (alike.length === 0) return [];
  const names = alike.slice(0, MOST_NAMES).map(({ path }) => path);
  return [`${words} ${names.join(', ')}${alike.length > MOST_NAMES ? `, … ${alike.length - MOST_NAMES} more` : ''}`];
}

/** `12 items: 11 reused, 1 ran again`. */
function total(all: readonly Explanation[]): string {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(wordOf(one), (counts.get(wordOf(one)) ?? 0) + 1);
  const noun = all.every(({ path }) => /\/\d+$/.test(path)) ? 'item' : 'place';
  const [word] = [...counts.keys()];
  if (counts.size === 1) return `${counted(all.length, noun)}, all ${word}`;
  return `${counted(all.length, noun)}: ${[...counts].map(([said, count]) => `${count} ${said}`).join(', ')}`;
}

function wordOf(one: Explanation): string {
  if (one.type !== 'ran') return outcomeWord(one.outcome);
  const again = one.earlier ? 'ran again' : 'ran for the first time';
  return one.outcome === 'done' ? again : outcomeWord(one.outcome);
}

/** What ran comes first. */
function sorts(all: readonly Explanation[]): Explanation[][] {
  const groups = new Map<string, Explanation[]>();
  for (const one of all) {
    const list = groups.get(sortOf(one)) ?? [];
    groups.set(sortOf(one), list);
    list.push(one);
  }
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

function rank([first]: readonly Explanation[]): number {
  return first?.type === 'ran' || first?.type === 'unbegun' ? 0 : first?.type === 'holds' ? 1 : 2;
}

function sortOf(one: Explanation): string {
  switch (one.type) {
    case 'ran':
      return JSON.stringify([wordOf(one), one.reasons.map(nameOf), one.fault?.code ?? '']);
    case 'reused':
      return JSON.stringify(['reused', one.from.isOrigin]);
    case 'skipped':
      return JSON.stringify(['skipped', one.reason]);
    case 'unbegun':
      return JSON.stringify([one.type, one.outcome, one.fault?.code ?? '']);
    case 'holds':
      return JSON.stringify(['holds', one.outcome]);
  }
}

function nameOf(reason: Reason): string {
  if (reason.type === 'part') return reason.change.name;
  return reason.type === 'used' ? `steps.${reason.step.id}` : reason.type;
}
