/** What is said for good, laid out for a person's terminal; above the lines of a group's steps stands its name. */
import type { StepPath } from '../../core/outcome.js';
import { idsOf } from '../../core/step-path.js';
import { duration } from '../../core/words.js';
import { brokenAt, fitted, type Line, padded, type Span, span, widthOf } from './line.js';
import type { Progress } from './progress.js';
import { type Layout, rowLine } from './row.js';
import { briefMessage, depthOf, nameOf, parentOf, type Told } from './told.js';

/** A message that goes on stands whole at the end of the run. */
const MOST_LINES = 3;
const MOST_NAMES = 3;
/** What concerns the run is said nowhere else. */
const WHOLE = Number.POSITIVE_INFINITY;

export interface ToldLines {
  lines(told: Told, layout: Layout): Line[];
}

export function toldLines(progress: Progress): ToldLines {
  /** The group that the last line stood in. */
  let around: StepPath = '';
  return {
    lines(told, layout) {
      const { path } = told;
      if (path === undefined) return broken([span('! ', 'warn')], told.text, 'warn', layout, WHOLE);
      const parent = parentOf(path);
      // An item says its loop's name itself.
      const isNamed = parent === around || parent === '' || progress.items.has(parent);
      const heads = isNamed ? [] : headOf(parent, progress, layout);
      around = told.opens ?? parent;
      return [...heads, ...oneTold(told, layout)];
    },
  };
}

function headOf(path: StepPath, { groups, items }: Progress, layout: Layout): Line[] {
  const group = groups.get(path) ?? items.get(path);
  const title =
    group?.title && group.title !== nameOf(path) && group.title !== nameOf(parentOf(path)) ? group.title : '';
  const head = [span(`${'  '.repeat(depthOf(path))}▸ ${nameOf(path)}${title === '' ? '' : `  ${title}`}`, 'dim')];
  return [fitted(head, layout.columns)];
}

function oneTold(told: Told, layout: Layout): Line[] {
  const { mark, tone, path = '', figures, within, form, joint, text, title = '', ms } = told;
  const name = nameOf(path);
  const start: Span[] = [span('  '.repeat(depthOf(path))), span(mark, tone), span(' ')];
  if (form === 'words')
    return broken([...start, span(`${name}  `, 'dim')], text, 'dim', layout, Number.POSITIVE_INFINITY);
  if (form === 'aside') return broken(start, `${name}${joint === ' ' ? '  ' : joint}${text}`, 'dim', layout, 1);
  if (form === 'note') return broken(start, `${name}${joint}${text}`, 'plain', layout);
  if (tone === 'bad') return broken([...start, span(namedIn(name, path, layout))], briefMessage(text), 'bad', layout);
  if (mark === '-') return broken(start, `${namesOf(name, told.also)}  ${text}`, 'dim', layout, 1);
  const { subject, because } = figures;
  const said = [subject, because === '' ? '' : `(${because})`, text].filter((one) => one !== '').join('  ');
  const time = ms === undefined ? '' : duration(ms);
  const beside = said === '' && layout.names > 0 && title !== idsOf(name) ? title : said;
  const middle = beside === '' ? [] : [span(beside, toneOfText(tone, subject))];
  return [rowLine({ depth: depthOf(path), mark, tone, name, middle, figures: within ?? figures, time }, layout)];
}

/** So that messages begin below one another. */
function namedIn(name: string, path: StepPath, { names }: Layout): string {
  return `${padded(name, names + 2 - 2 * depthOf(path))}  `;
}

function namesOf(first: string, also: readonly StepPath[] = []): string {
  const names = [first, ...also.map(nameOf)];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function toneOfText(tone: Told['tone'], subject: string): Told['tone'] {
  if (subject !== '') return 'plain';
  return tone === 'warn' ? 'warn' : 'dim';
}

/** What does not fit goes on below, behind the start. */
function broken(start: readonly Span[], text: string, tone: Told['tone'], layout: Layout, most = MOST_LINES): Line[] {
  const indent = widthOf(start);
  const hang = indent < layout.columns / 2 ? indent : 4;
  const lines = brokenAt(text, Math.max(10, layout.columns - Math.max(indent, hang)));
  const shown = lines.slice(0, most);
  return shown.map((line, at) => {
    const isCut = at === most - 1 && lines.length > most;
    const begun = at === 0 ? start : [span(' '.repeat(hang))];
    return fitted([...begun, span(isCut ? `${line} …` : line, tone)], layout.columns);
  });
}
