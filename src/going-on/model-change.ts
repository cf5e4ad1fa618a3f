/** A run whose models are others than in its earlier session. */
import { Fault } from '../core/faults.js';
import type { ModelChoice } from '../providers/models.js';
import type { RunRequest } from '../request.js';

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
