/** What runs now, as lines to draw over: groups and loops with what is open in them, no more of it than the terminal has rows. */
import type { StepPath } from '../../core/outcome.js';
import { duration } from '../../core/words.js';
import { endOf, fitted, type Line, span } from './line.js';
import { lastLine, type OpenGroup, type OpenItems, type OpenStep, type Progress } from './progress.js';
import { type Layout, rowLine } from './row.js';
import { nameOf, parentOf } from './told.js';

interface Node {
  readonly path: StepPath;
  readonly below: Node[];
}

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const SPIN_MS = 100;
const MOST_IN_LOOP = 12;
const BAR = 20;
const NARROW_BAR = 5;

/** @param most lines */
export function liveLines(progress: Progress, layout: Layout, most: number, now: number): Line[] {
  const roots = treeOf(progress);
  for (let inLoop = MOST_IN_LOOP; inLoop >= 0; inLoop--) {
    for (const withDetails of layout.names === 0 ? [true, false] : [false]) {
      const lines = roots.flatMap((node) => linesOf(node, 1, inLoop, withDetails));
      if (lines.length <= most) return lines;
    }
  }
  const lines = roots.flatMap((node) => linesOf(node, 1, 0, false));
  if (most <= 0) return [];
  return [...lines.slice(0, most - 1), faint(`  … ${lines.length - most + 1} more`)];

  function linesOf({ path, below }: Node, depth: number, inLoop: number, withDetails: boolean): Line[] {
    const { steps, groups, items } = progress;
    const step = steps.get(path);
    if (step) return stepLines(path, depth, step, withDetails);
    const loop = items.get(path);
    const shown = loop ? below.slice(0, inLoop) : below;
    const rest = below.length - shown.length;
    const group = groups.get(path);
    const head = loop ? [itemsLine(path, depth, loop)] : group ? [groupLine(path, depth, group)] : [];
    const more = rest > 0 && inLoop > 0 ? [faint(`${'  '.repeat(depth + 1)}… ${rest} more at work`)] : [];
    return [...head, ...shown.flatMap((one) => linesOf(one, depth + 1, inLoop, withDetails)), ...more];
  }

  function stepLines(path: StepPath, depth: number, step: OpenStep, withDetails: boolean): Line[] {
    const { title, tool, figures, since } = step;
    const words = lastLine(step.words);
    const said = [figures.subject, tool || (words === '' ? titleBeside(path, title) : '')]
      .filter((one) => one !== '')
      .join('  ');
    const row = { ...rowOf(path, depth, since), figures };
    if (layout.names > 0) return [rowLine({ ...row, middle: said === '' ? [] : [span(said, 'dim')], words }, layout)];
    const below = said === '' ? endOf(words, layout.columns - 6) : said;
    const detail = fitted([span(`${'  '.repeat(Math.min(row.depth, 2) + 1)}${below}`, 'dim')], layout.columns);
    return [rowLine({ ...row, middle: [] }, layout), ...(withDetails && below !== '' ? [detail] : [])];
  }

  function groupLine(path: StepPath, depth: number, { title, round, since, figures }: OpenGroup): Line {
    const said = [...(round === undefined ? [] : [`round ${round}`]), titleBeside(path, title)].filter(
      (one) => one !== '',
    );
    const middle = said.length === 0 ? [] : [span(said.join('  '), 'dim')];
    return rowLine({ ...rowOf(path, depth, since), tone: 'dim', mark: '▸', middle, figures }, layout);
  }

  function itemsLine(path: StepPath, depth: number, { count, settled, failed, since, figures }: OpenItems): Line {
    const isNarrow = layout.names === 0;
    const width = isNarrow ? NARROW_BAR : BAR;
    const full = count === 0 ? width : Math.round((settled / count) * width);
    const bar = [span('━'.repeat(full), failed.size > 0 ? 'warn' : 'good'), span('─'.repeat(width - full), 'dim')];
    const counts = [span(`${settled}/${count}`), ...(failed.size > 0 ? [span(`  ${failed.size} failed`, 'bad')] : [])];
    // Where room is short the bar is cut, not the counts.
    const middle = isNarrow ? [...counts, span(' '), ...bar] : [...bar, span(' '), ...counts];
    return rowLine({ ...rowOf(path, depth, since), middle, figures }, layout);
  }

  function faint(text: string): Line {
    return fitted([span(text, 'dim')], layout.columns);
  }

  function rowOf(path: StepPath, depth: number, since: number) {
    const mark = SPINNER[Math.floor(now / SPIN_MS) % SPINNER.length] ?? '';
    return { depth, mark, tone: 'info', name: nameOf(path), time: elapsed(now - since) } as const;
  }
}

/** Tenths only as long as they can be read. */
function elapsed(ms: number): string {
  if (ms < 10_000) return `${(Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1)} s`;
  return duration(Math.floor(ms / 1_000) * 1_000);
}

/** Each open step below the open groups and loops that it stands in. A round is no line of its own: its loop says which it is. */
function treeOf({ steps, groups, items }: Progress): Node[] {
  const nodes = new Map<StepPath, Node>();
  const roots: Node[] = [];
  const isShown = (path: StepPath) =>
    items.has(path) || steps.has(path) || (groups.has(path) && groups.get(parentOf(path))?.round === undefined);
  const nodeOf = (path: StepPath): Node => {
    const known = nodes.get(path);
    if (known) return known;
    const node = { path, below: [] };
    nodes.set(path, node);
    let around = parentOf(path);
    while (around !== '' && !isShown(around)) around = parentOf(around);
    (around === '' ? roots : nodeOf(around).below).push(node);
    return node;
  };
  for (const open of [items, groups, steps]) for (const path of open.keys()) if (isShown(path)) nodeOf(path);
  return roots;
}

/** A title that only says the name again is none. */
function titleBeside(path: StepPath, title: string): string {
  return title === path.split('/').findLast((part) => !/^\d+$/.test(part)) ? '' : title;
}
