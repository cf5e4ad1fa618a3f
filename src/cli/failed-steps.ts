/** The steps that a session left failed, as they became known: the innermost ones. */
import type { Recorded } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';

export interface FailedStep {
  readonly path: StepPath;
  readonly message: string;
}

export function failedSteps(): { see(event: Recorded): void; left(): FailedStep[] } {
  const failed = new Map<StepPath, string>();
  return {
    see(event) {
      if (event.type === 'step_failed') failed.set(event.path, event.fault.message);
      // A loop over items is done although some of them failed.
      if (event.type === 'step_done' || event.type === 'step_reused') failed.delete(event.path);
    },
    left() {
      const paths = [...failed.keys()];
      const isInnermost = (path: StepPath) => !paths.some((other) => other.startsWith(`${path}/`));
      return paths.filter(isInnermost).map((path) => ({ path, message: failed.get(path) ?? '' }));
    },
  };
}
