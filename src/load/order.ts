/** What each step waits for: written needs, the step above, references, fences; and cycles among them. */
import { nearest, type Position } from '../core/problems.js';
import { certainly } from './certain.js';
import { type Draft, everyDraft, lineage } from './draft.js';
import type { Notes } from './notes.js';
import { ownExpressions, referencesIn } from './references.js';
import { idMeant } from './step-keys.js';
import type { Source } from './text.js';
import { editOf } from './value-edit.js';

/** Ids of the same list, in its order. */
export type Order = ReadonlyMap<Draft, readonly string[]>;

interface Need {
  readonly on: Draft;
  readonly at: Position;
  readonly because: 'needs' | 'above' | 'reference' | 'fence';
}

export function orderSteps(roots: readonly Draft[], said: Said): Order {
  const all = everyDraft(roots);
  const byId = new Map<string, Draft>();
  for (const draft of all) if (!byId.has(draft.id)) byId.set(draft.id, draft);
  const order = new Map<Draft, readonly string[]>();
  const lists = [roots, ...all.flatMap(({ body }) => (body.type === 'group' ? [body.steps] : []))];
  for (const list of lists) {
    const fences: Draft[] = [];
    const needs = new Map<Draft, Need[]>();
    list.forEach((draft, index) => {
      const own = needsOf(draft, list, byId, said, list[index - 1]);
      needs.set(draft, [...own, ...fences.map((on): Need => ({ on, at: draft.at, because: 'fence' }))]);
      if (draft.body.type === 'leaf' && draft.body.kind.fence) fences.push(draft);
    });
    const places = new Map(list.map((draft, index) => [draft, index]));
    for (const draft of list) {
      const on = [...new Set((needs.get(draft) ?? []).map((need) => need.on))];
      const inOrder = on.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
      order.set(draft, [...new Set(inOrder.map(({ id }) => id))]);
    }
    reportCycles(list, needs, said.notes);
  }
  return order;
}

function needsOf(
  draft: Draft,
  list: readonly Draft[],
  byId: ReadonlyMap<string, Draft>,
  said: Said,
  above: Draft | undefined,
): Need[] {
  const needs: Need[] = writtenNeeds(draft, list, byId, said);
  if (!draft.needs && above) needs.push({ on: above, at: draft.at, because: 'above' });
  for (const holder of [draft, ...(draft.body.type === 'group' ? everyDraft(draft.body.steps) : [])]) {
    for (const reference of referencesIn(ownExpressions(holder), 'steps')) {
      const { ref } = reference;
      const on = typeof ref.path[0] === 'string' ? byId.get(ref.path[0]) : undefined;
      if (on && on !== draft && on.parent === draft.parent)
        needs.push({
          on,
          because: 'reference',
          get at() {
            return reference.at;
          },
        });
    }
  }
  return needs;
}

interface Said {
  readonly notes: Notes;
  readonly source: Source;
  /** Of all steps, as written. */
  readonly stepIds: readonly string[];
}

function writtenNeeds(
  draft: Draft,
  list: readonly Draft[],
  byId: ReadonlyMap<string, Draft>,
  { notes, source, stepIds }: Said,
): Need[] {
  return (draft.needs ?? []).flatMap(({ text, at, node }): Need[] => {
    const on = list.find(({ id }) => id === text);
    if (on === draft) {
      notes.error('self-need', at, `Step "${draft.id}" needs itself.`, { hint: 'Remove it from "needs".' });
      return [];
    }
    if (on) return [{ on, at, because: 'needs' }];
    const elsewhere = byId.get(text);
    if (elsewhere) {
      const line = lineage(elsewhere);
      const sibling = line.find((each) => list.includes(each));
      const where = elsewhere.parent ? `inside of the group "${elsewhere.parent.id}"` : 'at the top of the file';
      const isAround = lineage(draft).includes(elsewhere);
      const hint = isAround
        ? 'A step inside of a group never waits for the group.'
        : sibling && sibling !== draft
          ? `Need the group: "${sibling.id}".`
          : 'Write the need on the group around this step; a reference to it also adds itself.';
      notes.error(
        'foreign-need',
        at,
        `Step "${draft.id}" needs "${text}", which stands ${where}: needs name steps of the same list.`,
        { hint },
      );
      return [];
    }
    // Which of two steps it is that would be called so, the author says.
    if (stepIds.includes(text) && idMeant(text, stepIds) === undefined) return [];
    const others = list.filter((each) => each !== draft).map(({ id }) => id);
    const near = nearest(text, others);
    const meant = certainly(text, others);
    notes.error('unknown-need', at, `Step "${draft.id}" needs "${text}", but no step has that id.`, {
      hint: near ? `Did you mean "${near}"?` : undefined,
      edit: editOf(node, meant, { source }),
    });
    return [];
  });
}

/** Of the cycles that one need closes the shortest. */
function reportCycles(list: readonly Draft[], needs: ReadonlyMap<Draft, readonly Need[]>, notes: Notes): void {
  const byPlace = new Map<string, Cycle>();
  for (const cycle of findCycles(list, needs)) {
    const { file, line, column } = cycle.at;
    const place = `${file}:${line}:${column}`;
    const known = byPlace.get(place);
    if (!known || cycle.drafts.length < known.drafts.length) byPlace.set(place, cycle);
  }
  for (const cycle of byPlace.values()) reportCycle(cycle, notes);
}

interface Cycle {
  readonly drafts: readonly Draft[];
  /** needs[i] leads from drafts[i] to the next one. */
  readonly needs: readonly Need[];
  /** Of the need that an author would look at first. */
  readonly at: Position;
}

function cycleOf(drafts: readonly Draft[], needs: readonly Need[]): Cycle[] {
  const reading = needs.find(({ because }) => because === 'reference');
  const first = needs.find(({ because }) => because === 'needs') ?? reading ?? needs[0];
  return first ? [{ drafts, needs, at: first.at }] : [];
}

function findCycles(list: readonly Draft[], needs: ReadonlyMap<Draft, readonly Need[]>): Cycle[] {
  const found: Cycle[] = [];
  const state = new Map<Draft, 'open' | 'done'>();
  for (const start of list) {
    if (state.has(start)) continue;
    const trail: { readonly draft: Draft; readonly rest: Need[]; readonly by?: Need }[] = [
      { draft: start, rest: [...(needs.get(start) ?? [])] },
    ];
    state.set(start, 'open');
    for (let top = trail.at(-1); top; top = trail.at(-1)) {
      const need = top.rest.shift();
      if (!need) {
        state.set(top.draft, 'done');
        trail.pop();
        continue;
      }
      const known = state.get(need.on);
      if (known === 'open') {
        const from = trail.findIndex(({ draft }) => draft === need.on);
        const cycle = trail.slice(from);
        const drafts = cycle.map(({ draft }) => draft);
        found.push(...cycleOf(drafts, [...cycle.slice(1).flatMap(({ by }) => by ?? []), need]));
      }
      if (known) continue;
      state.set(need.on, 'open');
      trail.push({ draft: need.on, rest: [...(needs.get(need.on) ?? [])], by: need });
    }
  }
  return found;
}

function reportCycle({ needs, drafts, at }: Cycle, notes: Notes): void {
  const names = [...drafts, drafts[0]].map((draft) => draft?.id).join(' -> ');
  const reading = needs.find(({ because }) => because === 'reference');
  const implied = needs.findIndex(({ because }) => because === 'above');
  const waiting = drafts[implied];
  const hint =
    reading && waiting
      ? `Step "${waiting.id}" waits for the step above it; give it needs: [] or move it up.`
      : 'Remove one of these needs.';
  notes.error('cycle', at, `These steps wait for each other: ${names}.`, { hint });
}
