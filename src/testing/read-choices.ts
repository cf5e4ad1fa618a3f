/** Reads `simulate` of a test: what the adversary of a simulation chose, as small numbers by its places. */
import type { StepPath } from '../core/outcome.js';
import type { Reading } from '../load/fields.js';
import { describeNode, type YamlPair } from '../load/yaml-tree.js';
import type { ChosenAt } from './skill-test.js';

/** What something is chosen for: a session of the run, or a model, a process, a person at a step. */
export type Place = { readonly of: 'run' } | { readonly of: 'model' | 'process' | 'gate'; readonly path: StepPath };

const PATH = '([a-z][a-z0-9_]*(?:/(?:[a-z][a-z0-9_]*|\\d+))*)';
const OF_RUN = /^(?:(?:crash|disk|word)\.\d+|life)$/;
/** A turn, the faults before it, the mood of an attempt. */
const OF_MODEL = new RegExp(`^${PATH}@\\d+(?:\\.\\d+!?|~)$`);
/** An attempt; of an agent's own commands each. */
const OF_PROCESS = new RegExp(`^${PATH}#\\d+(?:\\.\\d+)?$`);
const OF_GATE = new RegExp(`^${PATH}\\?$`);

/** Undefined for what the adversary has no such place for. */
export function placeOf(text: string): Place | undefined {
  if (OF_RUN.test(text)) return { of: 'run' };
  for (const [of, pattern] of [
    ['model', OF_MODEL] as const,
    ['process', OF_PROCESS] as const,
    ['gate', OF_GATE] as const,
  ]) {
    const path = pattern.exec(text)?.[1];
    if (path !== undefined) return { of, path };
  }
  return undefined;
}

/** Numbers from 0, in lists, by their places. */
export function readChoices(pair: YamlPair, reading: Reading): ChosenAt[] {
  if (pair.value.type === 'broken') return [];
  if (pair.value.type !== 'map') {
    const message = `"simulate" must be a mapping of places to lists of numbers, not ${describeNode(pair.value)}.`;
    reading.notes.error('wrong-type', pair.value.at, message, { hint: 'pipeline simulate writes it.' });
    return [];
  }
  return pair.value.pairs.flatMap(({ key, keySpan, value }) => {
    if (!placeOf(key)) {
      reading.notes.error('place', keySpan.at, `A simulation chooses nothing at "${key}".`, {
        hint: 'Places are such as crash.0, audit@1.2, search/0#1, review?: pipeline simulate writes them.',
      });
      return [];
    }
    if (value.type === 'broken') return [];
    const items = value.type === 'list' ? value.items : [value];
    const numbers = items.flatMap((item) => {
      const number = item.type === 'scalar' ? item.value : undefined;
      if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return [number];
      const message = `What is chosen at "${key}" must be whole numbers from 0, not ${describeNode(item)}.`;
      if (item.type !== 'broken') reading.notes.error('wrong-type', item.at, message);
      return [];
    });
    return [{ place: key, numbers }];
  });
}
