/** Where two JSON values differ: the smallest places, items of lists found again where they moved. */
import { diffArrays } from 'diff';
import { canonicalJson, isObject, type Json, type JsonObject } from './json.js';

export type Place = readonly (string | number)[];

/** Without `before` it is new there, without `now` it is gone. */
export interface Difference {
  /** Of a list's item: where it stands now; where it stood, if it is gone. */
  readonly place: Place;
  readonly before?: Json;
  readonly now?: Json;
}

/** How many items of a list are others. */
export interface ListChange {
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  /** Items that there are now. */
  readonly count: number;
}

/** Beyond this the items are compared by their index alone. */
const MOST_EDITS = 1_000;

/** In the order of the value as it is now. Equal values have none. */
export function differences(before: Json, now: Json, place: Place = []): Difference[] {
  if (isObject(before) && isObject(now)) return inObject(before, now, place);
  if (Array.isArray(before) && Array.isArray(now)) {
    return alignItems(before, now).flatMap(({ at, before: was, now: is }) => {
      const here = [...place, at];
      if (was === undefined) return [{ place: here, now: is as Json }];
      return is === undefined ? [{ place: here, before: was }] : differences(was, is, here);
    });
  }
  return canonicalJson(before) === canonicalJson(now) ? [] : [{ place, before, now }];
}

function inObject(before: JsonObject, now: JsonObject, place: Place): Difference[] {
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  return names.flatMap((name) => {
    const here = [...place, name];
    const was = Object.hasOwn(before, name) ? before[name] : undefined;
    const is = Object.hasOwn(now, name) ? now[name] : undefined;
    if (was === undefined && is === undefined) return [];
    if (was === undefined) return [{ place: here, now: is as Json }];
    return is === undefined ? [{ place: here, before: was }] : differences(was, is, here);
  });
}

export function listChange(before: readonly Json[], now: readonly Json[]): ListChange {
  const steps = alignItems(before, now);
  return {
    changed: steps.filter((step) => step.before !== undefined && step.now !== undefined).length,
    added: steps.filter((step) => step.before === undefined).length,
    removed: steps.filter((step) => step.now === undefined).length,
    count: now.length,
  };
}

interface ItemStep {
  readonly at: number;
  readonly before?: Json | undefined;
  readonly now?: Json | undefined;
}

/** Only the items that differ: what stands in the place of what was taken out is a change of it. */
function alignItems(before: readonly Json[], now: readonly Json[]): ItemStep[] {
  const was = before.map(canonicalJson);
  const is = now.map(canonicalJson);
  const chunks = diffArrays(was, is, { maxEditLength: MOST_EDITS });
  if (!chunks) return byIndex(before, was, now, is);
  const steps: ItemStep[] = [];
  let old = 0;
  let fresh = 0;
  let removed: number[] = [];
  let added: number[] = [];
  const settle = () => {
    for (let one = 0; one < Math.max(removed.length, added.length); one++) {
      const [from, to] = [removed[one], added[one]];
      steps.push({
        at: to ?? (from as number),
        ...(from === undefined ? {} : { before: before[from] }),
        ...(to === undefined ? {} : { now: now[to] }),
      });
    }
    removed = [];
    added = [];
  };
  for (const chunk of chunks) {
    const places = [...chunk.value.keys()];
    if (chunk.removed) removed.push(...places.map((at) => at + old));
    else if (chunk.added) added.push(...places.map((at) => at + fresh));
    else settle();
    if (!chunk.added) old += chunk.value.length;
    if (!chunk.removed) fresh += chunk.value.length;
  }
  settle();
  return steps;
}

function byIndex(
  before: readonly Json[],
  was: readonly string[],
  now: readonly Json[],
  is: readonly string[],
): ItemStep[] {
  const most = Math.max(before.length, now.length);
  return Array.from({ length: most }, (_, at): ItemStep => ({ at, before: before[at], now: now[at] })).filter(
    ({ at }) => was[at] !== is[at],
  );
}

/** As JSON Schema writes places: `/properties/title/maxLength`. */
export function pointer(place: Place): string {
  return place.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** As an expression reads it: `.hits[3].title`, `["odd name"]`. */
export function members(place: Place): string {
  return place
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      return /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join('');
}
