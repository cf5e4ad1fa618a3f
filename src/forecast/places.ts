/** The times that a step is performed, as far as a dry run can tell them apart. */
import { type Template, templateExpressions } from '../core/expression.js';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import { type ChildBody, everyStep, type Plan, type Step } from '../core/plan.js';
import { foresee, inEach, type Known, rootsIn, rootsOf, withItem, withoutItem } from './known.js';

interface Place {
  readonly known: Known;
  /** Of the step around, with its items: '' for the run, `each/3` in an item; rounds are not told apart. */
  readonly path: string;
}

export interface Places {
  /** One for each time; where times cannot be told apart, one stands for them all. */
  readonly each: readonly Place[];
  /** Whether `each` has every time. */
  readonly isAll: boolean;
}

interface Inside {
  readonly places: Places;
  /** Of a loop whose lists are all known: the items of the longest, and of each if they agree. */
  readonly items?: { readonly most: number; readonly agreed?: number };
  readonly failures: readonly PlaceFailure[];
}

export interface PlaceFailure {
  readonly path: string;
  readonly message: string;
}

/** So many times are told apart, times what each has to look at. */
const MOST_LOOKS = 100_000;

export function pathIn({ path }: Place, id: string): string {
  return path === '' ? id : `${path}/${id}`;
}

/** Inside the step's own loop over items. */
export function insideOf(step: Step, { each: around, isAll }: Places): Inside {
  const each = around.map((place) => ({ ...place, path: pathIn(place, step.id) }));
  const { foreach } = step;
  if (!foreach) return { places: { each, isAll }, failures: [] };
  const { maxItems } = foreach;
  const lists = listsAt(foreach.over, each);
  const times = lists.reduce((sum, { count }) => sum + (count ?? 1), 0);
  const looks = everyStep([step]).length + Object.keys(each[0]?.known.steps ?? {}).length;
  const isApart = times * looks <= MOST_LOOKS;
  const failures = lists.flatMap(({ count, fails }, at): PlaceFailure[] => {
    const tooMany = count !== undefined && count > maxItems;
    const message = tooMany ? `it has ${count} items; max_items is ${maxItems}` : fails;
    return message === undefined ? [] : [{ path: each[at]?.path ?? step.id, message }];
  });
  const inner = each.flatMap((place, at): Place[] => {
    const { count, fails, itemAt } = lists[at] ?? UNKNOWN;
    if (fails !== undefined || count === 0 || (count ?? 0) > maxItems) return [];
    if (count === undefined || !isApart) return [{ ...place, known: withoutItem(place.known) }];
    return Array.from({ length: count }, (_, index) => ({
      path: `${place.path}/${index}`,
      known: itemKnown(place.known, step.id, itemAt(index), index),
    }));
  });
  const isWhole = isAll && isApart && lists.every(({ count }) => count !== undefined);
  const items = itemsOf(lists, maxItems);
  return { places: { each: inner, isAll: isWhole }, failures, ...(items ? { items } : {}) };
}

interface List {
  /** Undefined if only a run can tell. */
  readonly count: number | undefined;
  readonly itemAt: (index: number) => Json | undefined;
  readonly fails?: string;
}

const UNKNOWN: List = { count: undefined, itemAt: () => undefined };

/** A list that is written in YAML has a known length, also where its items are not yet known. */
function listsAt(over: Template, each: readonly Place[]): List[] {
  return inEach(rootsIn(templateExpressions(over)), each, (known): List => {
    if (over.type === 'list')
      return { count: over.items.length, itemAt: (index) => itemValue(over.items[index], known) };
    const list = foresee(over, known);
    if (list.type === 'fails') return { ...UNKNOWN, count: 0, fails: list.message };
    if (list.type === 'waits' || !Array.isArray(list.value)) return UNKNOWN;
    const values = list.value as readonly Json[];
    return { count: values.length, itemAt: (index) => values[index] };
  });
}

function itemValue(template: Template | undefined, known: Known): Json | undefined {
  const item = template && foresee(template, known);
  return item?.type === 'value' ? item.value : undefined;
}

function itemKnown(known: Known, id: string, item: Json | undefined, index: number): Known {
  return item === undefined ? { ...withoutItem(known), index } : withItem(known, id, item, index);
}

/** Of a list that is too long, or has no value, no item is performed. */
function itemsOf(lists: readonly List[], maxItems: number): Inside['items'] {
  const counts = lists.map(({ count }) => count);
  if (counts.length === 0 || counts.some((count) => count === undefined)) return undefined;
  const known = counts.map((count = 0) => count);
  const most = known.reduce((max, count) => (count > maxItems ? max : Math.max(max, count)), 0);
  const [agreed = 0] = known;
  const isAgreed = lists.every(({ count, fails }) => count === agreed && fails === undefined);
  return { most, ...(isAgreed ? { agreed } : {}) };
}

/** Inside another skill: its own query, inputs and folders. */
export function insideChild({ plan, config }: ChildBody, { each, isAll }: Places, projectDir: string): Places {
  const roots = rootsIn(templateExpressions(config)).add('query');
  const knowns = inEach(roots, each, (known) => childRoots(plan, config, known, projectDir));
  return { isAll, each: each.map((place, at) => ({ ...place, known: knowns[at] ?? place.known })) };
}

function childRoots(plan: Plan, config: Template, known: Known, projectDir: string): Known {
  const given = foresee(config, known);
  if (given.type !== 'value' || !isObject(given.value)) return rootsOf(plan, undefined, undefined, projectDir);
  const { query = known.query, inputs = {} } = given.value;
  const properties = isObject(plan.inputs.properties) ? plan.inputs.properties : {};
  const defaults = Object.entries(properties).flatMap(([name, schema]) =>
    isObject(schema) && schema.default !== undefined ? [[name, schema.default] as const] : [],
  );
  const values: JsonObject = { ...Object.fromEntries(defaults), ...(isObject(inputs) ? inputs : {}) };
  const asked = typeof query === 'string' ? query : query === undefined ? undefined : JSON.stringify(query);
  return rootsOf(plan, asked, values, projectDir);
}
