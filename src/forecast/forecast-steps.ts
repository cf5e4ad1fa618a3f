/** Goes through a plan before a run: which steps are performed, over what, with which texts. */
import { templateExpressions } from '../core/expression.js';
import { kindOf, type Plan, type Step, stepsIn } from '../core/plan.js';
import { type DryStep, dryStep, mayEnd } from './dry-step.js';
import { endsBelow, type Fate, fatesOf } from './fates.js';
import { foresee, inEach, type Known, rootsIn, withStep } from './known.js';
import { insideChild, insideOf, type PlaceFailure, type Places, pathIn } from './places.js';
import { type DryText, textsOf } from './texts.js';

export interface Forecast {
  readonly steps: readonly DryStep[];
  readonly items: ReadonlyMap<Step, number>;
  readonly leastTokens: Readonly<Record<string, number>>;
  readonly programs: ReadonlySet<string>;
  /** Tools of agents whose commands the sandbox is for. */
  readonly shells: ReadonlySet<string>;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

const CHARACTERS_PER_TOKEN = 4;

interface Findings {
  /** At most, for each time the step is reached; 0 also where it is not performed. */
  readonly items: Map<Step, number>;
  readonly leastTokens: Record<string, number>;
  readonly programs: Set<string>;
  readonly shells: Set<string>;
  readonly problems: string[];
  readonly notes: string[];
}

/** How a list of steps stands in the run. */
interface Standing {
  /** It is performed whatever the run's values are. */
  readonly isSure: boolean;
  /** The run goes on where a step of it fails. */
  readonly isForgiven: boolean;
  readonly projectDir: string;
}

interface Listed {
  readonly steps: readonly DryStep[];
  /** Of each place: whether the run is known to end in it. */
  readonly ends: readonly boolean[];
}

export function forecastSteps(plan: Plan, known: Known, projectDir: string): Forecast {
  const findings: Findings = {
    items: new Map(),
    leastTokens: {},
    programs: new Set(),
    shells: new Set(),
    problems: [],
    notes: [],
  };
  const places = { each: [{ known, path: '' }], isAll: true };
  const { steps } = forecastList(plan.steps, places, { isSure: true, isForgiven: false, projectDir }, findings);
  return { ...findings, steps };
}

function forecastList(list: readonly Step[], places: Places, standing: Standing, findings: Findings): Listed {
  const ended = new Map<string, readonly boolean[]>();
  let here = places;
  let { isSure } = standing;
  const steps = list.map((step) => {
    const before = step.after.filter((id) => ended.has(id));
    const isOver = here.each.map((_, at) => before.some((id) => ended.get(id)?.[at] === true));
    const fates = fatesOf(step, here, isOver);
    const { dry, ends } = forecastStep(step, here, fates, { ...standing, isSure }, findings);
    if (ends.includes(true)) ended.set(step.id, ends);
    here = afterStep(step, here, fates, { ...standing, isSure }, findings);
    if (mayEnd(dry)) isSure = false;
    return fates.length > 0 && isOver.every(Boolean) ? { ...dry, endedBy: before[0] ?? '' } : dry;
  });
  const all = [...ended.values()];
  return { steps, ends: places.each.map((_, at) => all.some((ends) => ends[at] === true)) };
}

interface Forecasted {
  readonly dry: DryStep;
  readonly ends: readonly boolean[];
}

function forecastStep(
  step: Step,
  here: Places,
  fates: readonly Fate[],
  around: Standing,
  findings: Findings,
): Forecasted {
  const runs: Places = { ...here, each: here.each.filter((_, at) => isPerformed(fates[at])) };
  const standing = {
    ...around,
    isSure: around.isSure && !fates.some(({ type }) => type === 'open' || type === 'fails'),
    isForgiven: around.isForgiven || step.onError === 'continue',
  };
  const inside = insideOf(step, runs);
  if (runs.each.length === 0) findings.items.set(step, 0);
  else if (inside.items) findings.items.set(step, inside.items.most);
  const { texts, failures } = textsOf(step, inside.places);
  noteLeaf(step, texts, inside.places, standing.isSure, findings);
  const conditions = fates.flatMap((fate, at): PlaceFailure[] =>
    fate.type === 'fails' ? [{ path: pathOf(here, at, step), message: fate.message }] : [],
  );
  noteFailures([...conditions, ...inside.failures], standing, findings);
  const within = insideLoop(step, inside.items !== undefined, standing);
  noteFailures(failures, within, findings);
  const held = heldSteps(step, inside.places, within, findings);
  const ends = endsBelow(step, fates, held?.ends);
  const itemsOf = (one: Step) => findings.items.get(one);
  return { dry: dryStep(step, fates, inside.items?.agreed, texts, held?.steps, itemsOf), ends };
}

function isPerformed(fate: Fate | undefined): boolean {
  return fate?.type === 'runs' || fate?.type === 'open';
}

function pathOf({ each }: Places, at: number, { id }: Step): string {
  const place = each[at];
  return place ? pathIn(place, id) : id;
}

/** There may be no items, and some may be allowed to fail. */
function insideLoop(step: Step, isCounted: boolean, standing: Standing): Standing {
  const { foreach } = step;
  if (!foreach) return standing;
  const { minSuccess } = foreach;
  const mayLose = 'count' in minSuccess || minSuccess.share < 1;
  return {
    ...standing,
    isSure: standing.isSure && isCounted,
    isForgiven: standing.isForgiven || mayLose,
  };
}

function heldSteps(step: Step, places: Places, standing: Standing, findings: Findings): Listed | undefined {
  const { body } = step;
  switch (body.type) {
    case 'leaf':
      return undefined;
    case 'group':
      return forecastList(stepsIn(step), places, standing, findings);
    case 'child':
      return forecastList(stepsIn(step), insideChild(body, places, standing.projectDir), standing, findings);
  }
}

/** A skipped step is null for those after it; `set` is computed by expressions alone. */
function afterStep(step: Step, here: Places, fates: readonly Fate[], standing: Standing, findings: Findings): Places {
  const { id, body, foreach, repeat } = step;
  const isSet = kindOf(step) === 'set' && body.type === 'leaf' && !foreach && !repeat;
  if (!isSet && !fates.some(({ type }) => type === 'skipped')) return here;
  const values = isSet
    ? inEach(rootsIn(templateExpressions(body.config)), here.each, (known) => foresee(body.config, known))
    : [];
  const failures: PlaceFailure[] = [];
  const each = here.each.map((place, at) => {
    const { type } = fates[at] ?? { type: 'open' };
    const value = values[at];
    if (type === 'skipped') {
      const view = { output: null, status: 'skipped', error: null, failures: [] };
      return { ...place, known: withStep(place.known, id, view) };
    }
    if (value?.type === 'fails' && isPerformed(fates[at]))
      failures.push({ path: pathIn(place, id), message: value.message });
    if (type !== 'runs' || value?.type !== 'value') return place;
    const view = { output: value.value, status: 'done', error: null, failures: [] };
    return { ...place, known: withStep(place.known, id, view) };
  });
  noteFailures(failures, standing, findings);
  return { ...here, each };
}

/** Only what is sure to fail the run is a problem. */
function noteFailures(
  failures: readonly PlaceFailure[],
  { isSure, isForgiven }: Standing,
  { problems, notes }: Findings,
): void {
  const [first] = failures;
  if (!first) return;
  const more = failures.length === 1 ? '' : ` (the first of ${failures.length} times)`;
  const text = `${first.path}: ${first.message}${more}`;
  if (!isSure) notes.push(`${text}, if the run gets there`);
  else if (isForgiven) notes.push(`${text}, and the run goes on`);
  else problems.push(text);
}

function noteLeaf(step: Step, texts: readonly DryText[], places: Places, isSure: boolean, findings: Findings): void {
  if (step.body.type !== 'leaf' || places.each.length === 0) return;
  const { programs, shells, leastTokens } = findings;
  const { tools, models, startsProcess, starts } = step.body.inspection;
  for (const tool of tools) if (/^shell\b/.test(tool)) shells.add(tool);
  for (const text of texts) {
    if (text.key === 'run') programs.add('bash');
    for (const program of text.programs ?? []) programs.add(program);
  }
  if (starts !== undefined) programs.add(starts);
  const [model] = models;
  // What a program prints, and whether a model must read it, is not known.
  if (model === undefined || startsProcess || !isSure) return;
  const characters = texts.reduce((sum, text) => sum + text.characters, 0);
  leastTokens[model] = (leastTokens[model] ?? 0) + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
