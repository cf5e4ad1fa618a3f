/** Counts over the events of a run: steps asked, done, failed, skipped, reused; what model calls used; the models that answered. */
import type { Census, Recorded, RunEvent, UsageTotal } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';
import { NO_USAGE, withEvent } from '../core/usage.js';

type Standing = 'open' | 'done' | 'reused' | 'failed' | 'skipped';

export interface Counts {
  add(event: RunEvent | Recorded): void;
  /** Of the run, or of what stands below a path. */
  census(path?: StepPath): Census;
  /** What counts where, says core/usage.ts. */
  usage(): UsageTotal;
  /** Labels, in the order in which they first answered. */
  models(): readonly string[];
}

/**
 * A leaf step counts once for each path at which it stands: as an item, in a round. Of groups and loops that began what is in them counts,
 * and they themselves only where they failed and nothing in them did. What never began counts once if the run says that it will not: a step that was skipped; a group or a loop that was skipped
 * as a whole, since its steps never became known; an item that an end left out. Begun and cut by an end counts as skipped, begun and
 * stopped by anything else as open. `asked` is the sum of all. The census is that of the last session, usage and models are of all.
 */
export function createCounts(): Counts {
  const standing = new Map<StepPath, Standing>();
  /** Groups, loops, items and rounds with steps in them. */
  const begun = new Set<StepPath>();
  const items = new Map<StepPath, number>();
  /** Of an earlier attempt of a group, and not yet seen in this one. */
  const stale = new Set<StepPath>();
  const models = new Set<string>();
  let total = NO_USAGE;

  /** By each place around them. */
  const inside = new Map<StepPath, Set<StepPath>>();

  const set = (path: StepPath, now: Standing) => {
    stale.delete(path);
    if (!standing.has(path)) {
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        const around = path.slice(0, end);
        const held = inside.get(around);
        if (held) held.add(path);
        else inside.set(around, new Set([path]));
      }
    }
    standing.set(path, now);
  };
  const below = (path: StepPath) => (one: StepPath) => one.startsWith(`${path}/`);
  const beginAgain = (path: StepPath) => {
    for (const one of inside.get(path) ?? []) stale.add(one);
    for (const one of [...items.keys()].filter(below(path))) items.delete(one);
  };
  const hasFailedBelow = (path: StepPath) => {
    for (const one of inside.get(path) ?? []) if (standing.get(one) === 'failed' && !stale.has(one)) return true;
    return false;
  };
  /** What an end cut off or left out. */
  const cut = (path: StepPath) => {
    const within = below(path);
    for (const [one, now] of standing) if (within(one) && now === 'open') standing.set(one, 'skipped');
    for (const [loop, count] of items) {
      if (loop !== path && !within(loop)) continue;
      const known = new Set([...standing.keys(), ...begun].filter(below(loop)).map((one) => indexIn(loop, one)));
      for (let index = 0; index < count; index++) if (!known.has(String(index))) set(`${loop}/${index}`, 'skipped');
    }
  };

  return {
    add(event) {
      switch (event.type) {
        case 'loop':
          begun.add(event.path);
          if (event.of === 'items') items.set(event.path, event.count);
          return;
        case 'step_started':
          if (event.key !== '') set(event.path, 'open');
          else {
            begun.add(event.path);
            standing.delete(event.path);
            beginAgain(event.path);
          }
          return;
        case 'step_done':
          if (event.key !== '') set(event.path, 'done');
          return;
        case 'step_reused':
          set(event.path, standing.get(event.path) === 'done' ? 'done' : 'reused');
          return;
        case 'step_ended':
          set(event.path, 'done');
          return;
        case 'step_failed':
          // What holds steps counts itself only where none of them has failed: too many rounds, an assert of its own, a child's end.
          if (!begun.has(event.path) || !hasFailedBelow(event.path)) set(event.path, 'failed');
          return;
        case 'step_skipped':
          if (begun.has(event.path)) cut(event.path);
          else set(event.path, 'skipped');
          return;
        case 'step_stopped':
        case 'step_waiting':
          if (!begun.has(event.path)) set(event.path, 'open');
          return;
        case 'run_resumed':
          for (const known of [standing, begun, items, stale, inside]) known.clear();
          return;
        case 'round':
          models.add(event.model);
          total = withEvent(total, event);
          return;
        case 'call_retry':
        case 'call_lost':
          total = withEvent(total, event);
          return;
        default:
          return;
      }
    },
    census(path) {
      const isMeant = path === undefined ? () => true : below(path);
      const counted = [...standing].flatMap(([one, now]) => (stale.has(one) || !isMeant(one) ? [] : [now]));
      const count = (...which: Standing[]) => counted.filter((one) => which.includes(one)).length;
      return {
        asked: counted.length,
        done: count('done', 'reused'),
        failed: count('failed'),
        skipped: count('skipped'),
        open: count('open'),
        reused: count('reused'),
      };
    },
    usage: () => total,
    models: () => [...models],
  };
}

function indexIn(loop: StepPath, path: StepPath): string {
  return path.slice(loop.length + 1).split('/', 1)[0] ?? '';
}
