/** What in the folders of runs is no material for a step: the journal, conversations, answers of persons, other runs. */
import { realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { Fault } from '../core/faults.js';
import { isInside } from './jail.js';
import { publishProblem } from './names.js';
import { realPathOf } from './real-path.js';

/** Of a step, absolute. */
export interface StepFolders {
  readonly work: string;
  readonly run: string;
  readonly project: string;
}

/** Of a project: all its runs. */
export const RUNS = 'skill_run';
/** In a run folder: what its steps leave, and what gates were answered. */
export const STEPS = '.steps';

/** Of an attempt, which they outlive: no tool can move them. */
const knownReal = new WeakMap<StepFolders, Pick<StepFolders, 'work' | 'run'>>();

/** The step's folders without links. */
export function realFolders(folders: StepFolders): Pick<StepFolders, 'work' | 'run'> {
  const known = knownReal.get(folders) ?? {
    work: realpathSync.native(folders.work),
    run: realpathSync.native(folders.run),
  };
  knownReal.set(folders, known);
  return known;
}

/** The whole run folder, of which a child pipeline has a part; '' where no run is around. @param work without links */
export function runAround(work: string): string {
  return work.slice(0, Math.max(0, work.lastIndexOf(`${sep}${STEPS}${sep}`)));
}

/**
 * Throws `step.path` if a step may not be shown this.
 * @param path as it was written
 * @param real absolute, without links
 * @param named absolute: what a person named for this run, which may be of another one
 */
export function refuseMachinery(folders: StepFolders, path: string, real: string, named: readonly string[]): void {
  const { work, run } = realFolders(folders);
  if (isInside(work, real)) return;
  const whole = runAround(work);
  const why =
    whole === '' ? machineryIn(run, real) : machineryProblem({ run: whole, project: folders.project }, real, named);
  if (why) throw new Fault('step.path', `${path} may not be read: ${why}.`);
}

/** Why this is no material, or undefined. @param run the whole run folder, without links @param real likewise @param named as above */
export function machineryProblem(
  { run, project }: Pick<StepFolders, 'run' | 'project'>,
  real: string,
  named: readonly string[],
): string | undefined {
  const why = machineryIn(run, real);
  return why ?? (isInside(run, real) ? undefined : otherRunProblem(join(realPathOf(project), RUNS), run, real, named));
}

function machineryIn(run: string, real: string): string | undefined {
  const inRun = real !== run && isInside(run, real) ? publishProblem(below(run, real).join('/')) : undefined;
  return inRun ?? (real.split(sep).includes(STEPS) ? 'it is the machinery of a run' : undefined);
}

/** Of another run only what a person named, and of a folder so named only what was published there. */
function otherRunProblem(runs: string, run: string, real: string, named: readonly string[]): string | undefined {
  const ofSkill = dirname(run);
  const inSkill = isInside(runs, real)
    ? below(runs, real).slice(1)
    : isInside(ofSkill, real)
      ? below(ofSkill, real)
      : undefined;
  if (!inSkill) return undefined;
  const grants = named.map(realPathOf).filter((root) => isInside(root, real));
  if (grants.includes(real)) return undefined;
  if (!grants.some((root) => isInside(runs, root) || isInside(ofSkill, root))) return 'it belongs to another run';
  const published = inSkill.slice(1);
  return published.length === 0 ? undefined : publishProblem(published.join('/'));
}

function below(root: string, path: string): string[] {
  return relative(root, path).split(sep);
}
