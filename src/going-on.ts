/** What a run that goes on, or begins with what another has finished, keeps of the earlier one. */
import { Fault, type FaultData } from './core/faults.js';
import { type Plan, type Step, stepsIn } from './core/plan.js';
import { nearest } from './core/problems.js';
import { isBelow } from './core/step-path.js';
import { canGoOn } from './engine/go-on.js';
import { readRunFile } from './engine/run-file.js';
import type { ModelChoice } from './providers/models.js';
import type { RunRequest } from './request.js';

/** The values that replace those of the file: a run that is gone on with keeps its own. Throws `input.invalid`. */
export function overridesOf({ resume, fork, from, goOn, overrides }: RunRequest): Readonly<Record<string, string>> {
  if (fork && resume)
    throw new Fault('input.invalid', 'a run is either resumed or forked: `resume` and `fork` exclude each other');
  if (from !== undefined && !fork && !resume) {
    throw new Fault('input.invalid', `--from ${from} is about an earlier run`, {
      hint: 'Write pipeline resume <run> --from <step>, or pipeline fork <run> --from <step>.',
    });
  }
  if (goOn && !resume) {
    throw new Fault('input.invalid', '--step and --rounds are about a failed step of an earlier run', {
      hint: 'Write pipeline resume <run> --step <step> --rounds +10.',
    });
  }
  if (goOn && from !== undefined) {
    throw new Fault(
      'input.invalid',
      '--from does a step anew, --step and --rounds go on with it: they exclude each other',
    );
  }
  const dir = fork?.dir ?? (typeof resume === 'object' ? resume.dir : undefined);
  return { ...(dir === undefined ? {} : readRunFile(dir)?.overrides), ...overrides };
}

/**
 * The step that a person meant, by its id or by those of the groups around it as well.
 * @returns all ids from the outermost step: `rounds/audit`. Throws `input.unknown`.
 */
export function stepMeant(from: string | undefined, plan: Plan): string | undefined {
  if (from === undefined) return undefined;
  const all = idPaths(plan.steps, '');
  const meant = all.filter((path) => path === from || path.endsWith(`/${from}`));
  const [only, ...others] = meant.includes(from) ? [from] : meant;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new Fault('input.unknown', `"${from}" names ${meant.length} steps of "${plan.name}"`, {
      hint: `Write one of: ${meant.join(', ')}.`,
    });
  }
  const ids = [...new Set(all.flatMap((path) => path.split('/').at(-1) ?? []))];
  const near = nearest(from, [...ids, ...all]);
  throw new Fault('input.unknown', `no step of "${plan.name}" has the id "${from}"`, {
    hint: near ? `Did you mean "${near}"?` : `Steps: ${ids.slice(0, 12).join(', ')}${ids.length > 12 ? ', …' : ''}`,
  });
}

/**
 * The failed agents that a person told to go on where they stopped.
 * @param failed what the last attempt at a place failed with. Throws `input.invalid` when there is none to go on with.
 */
export function goOnMeant(
  { goOn }: RunRequest,
  plan: Plan,
  failed: ReadonlyMap<string, { readonly fault: FaultData }>,
): { readonly ids: string; readonly rounds: number } | undefined {
  if (!goOn) return undefined;
  const { step, rounds = 0 } = goOn;
  const ids = stepMeant(step, plan) ?? '';
  const there = [...failed].filter(([path]) => isBelow(path, ids));
  if (there.some(([, { fault }]) => canGoOn(fault))) return { ids, rounds };
  const [first] = there;
  const what = step === undefined ? 'no agent of the run has failed' : `"${step}" has not failed`;
  if (!first) {
    throw new Fault('input.invalid', `there is nothing to go on with: ${what}`, {
      hint: step === undefined ? 'Resume it without --rounds.' : `To do it anew: --from ${step}.`,
    });
  }
  const [path, { fault }] = first;
  throw new Fault('input.invalid', `"${path}" failed with ${fault.code}, after which no conversation can go on`, {
    hint: 'Mend what it names, then resume the run: the step begins anew.',
  });
}

function idPaths(steps: readonly Step[], start: string): string[] {
  return steps.flatMap((step) => [`${start}${step.id}`, ...idPaths(stepsIn(step), `${start}${step.id}/`)]);
}

/** Results of a real model are not replaced by placeholders because a key is missing today. */
export function refuseDowngrade(
  earlier: { readonly models: readonly string[]; readonly placeholder: boolean } | undefined,
  model: ModelChoice | undefined,
  request: RunRequest,
): void {
  if (!earlier || earlier.placeholder || earlier.models.length === 0) return;
  if (!model?.placeholder || request.model !== undefined) return;
  const real = earlier.models.filter((label) => label !== 'sketch');
  const last = real.at(-1) ?? 'sketch';
  throw new Fault('input.invalid', `the run used ${real.join(', ')}, but now only sketch is there (${model.reason})`, {
    hint: `Give it the same model: --model ${last}; or --model sketch if placeholders are meant.`,
  });
}

/** Placeholders are not replaced by what a real model costs without a word before. */
export function upgradeNotice(
  earlier: { readonly placeholder: boolean } | undefined,
  model: ModelChoice | undefined,
  request: RunRequest,
): string[] {
  if (!earlier?.placeholder || !model || model.placeholder || request.model !== undefined) return [];
  if (request.replay !== undefined) return [];
  const now = `${model.label} does again what sketch did (${model.reason})`;
  return [`the run used sketch so far, and now ${now}; with --model sketch it keeps its placeholders`];
}
