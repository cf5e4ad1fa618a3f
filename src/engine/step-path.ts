/** Step paths such as `rounds/2/audit` or `search/3`: which numbers are items, which are rounds. */
import type { Step, StepPath } from '../core/types.js';

type Segment = { readonly type: 'step' | 'item' | 'round'; readonly text: string };

export function segmentsOf(steps: readonly Step[], path: StepPath): readonly Segment[] {
  const segments: Segment[] = [];
  let list = steps;
  let loops: ('item' | 'round')[] = [];
  for (const text of path.split('/')) {
    const loop = /^\d+$/.test(text) ? loops.shift() : undefined;
    if (loop) {
      segments.push({ type: loop, text });
      continue;
    }
    segments.push({ type: 'step', text });
    const step = list.find((one) => one.id === text);
    loops = [...(step?.foreach ? ['item' as const] : []), ...(step?.repeat ? ['round' as const] : [])];
    list = step?.body.type === 'group' ? step.body.steps : [];
  }
  return segments;
}

/** The same for all items of a loop: results are looked up among them. */
export function itemFamily(steps: readonly Step[], path: StepPath): string {
  if (!/\d/.test(path)) return path;
  return segmentsOf(steps, path)
    .map((segment) => (segment.type === 'item' ? '*' : segment.text))
    .join('/');
}

/** The same for all rounds of a repeat: a later round's files take the place of the earlier's. */
export function withoutRounds(steps: readonly Step[], path: StepPath): string {
  if (!/\d/.test(path)) return path;
  return segmentsOf(steps, path)
    .filter((segment) => segment.type !== 'round')
    .map((segment) => segment.text)
    .join('/');
}
