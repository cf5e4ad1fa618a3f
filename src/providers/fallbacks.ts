/** Which names take the place of a model, in which order. */
import type { ChosenModel } from '../core/model.js';

interface Chosen {
  readonly model: ChosenModel;
}

/**
 * After its own, those that are left of the role that it was taken for.
 * @param but roles that have been passed over, or are this one
 */
export function withFallback<C extends Chosen>(chosen: C, more: readonly string[], but: readonly string[]): C {
  const names = [...new Set([...(chosen.model.fallback ?? []), ...more])].filter((name) => !but.includes(name));
  return names.length === 0 ? chosen : { ...chosen, model: { ...chosen.model, fallback: names } };
}

/** For a model that was named to replace every model. */
export function withoutFallback<C extends Chosen>({
  model: { fallback: _, ...model },
  ...chosen
}: C): Omit<C, 'model'> & Chosen {
  return { ...chosen, model };
}
