/** The texts of a step that say what it does: prompts, commands, questions, with what is known put in. */
import { type Template, templateExpressions } from '../core/expression.js';
import { asText } from '../core/functions.js';
import type { Json } from '../core/json.js';
import { kindOf, type Step } from '../core/plan.js';
import { valueAt } from '../graph/written.js';
import { foresee, inEach, type Known, missingOf, rootsIn } from './known.js';
import type { PlaceFailure, Places } from './places.js';

export interface DryText {
  /** The key under the kind: `prompt`, `command`, … */
  readonly key: string;
  /** Of the step, or of the first times that it is performed. What only a run can tell stands there as written. */
  readonly samples: readonly DrySample[];
  /** What only a run can tell of it, as written; empty if it is whole. */
  readonly waitsFor: readonly string[];
  /** Of a command: first words. */
  readonly programs?: readonly string[];
  /** What is certainly sent, over all times; 0 where these were not all looked at. */
  readonly characters: number;
}

export interface DrySample {
  /** Of the step with the items around it, such as `each/3/ask`; absent outside of loops. */
  readonly path?: string;
  readonly text: string;
  readonly fails?: string;
}

interface StepTexts {
  readonly texts: readonly DryText[];
  /** At most one a time. */
  readonly failures: readonly PlaceFailure[];
}

/** So many times of a step are shown. */
const SAMPLES = 3;

/** By kind: what is worth seeing before a run. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  agent: ['prompt', 'command'],
  shell: ['run', 'command'],
  next: ['command'],
  gate: ['ask'],
  end: ['message'],
  pipeline: ['query', 'inputs'],
};

export function textsOf(step: Step, places: Places): StepTexts {
  if (step.body.type === 'group') return { texts: [], failures: [] };
  const { config } = step.body;
  const templates = (KEYS[kindOf(step)] ?? []).flatMap((key) => {
    const template = valueAt(config, key);
    return template ? [{ key, template, looks: looksAt(template, places) }] : [];
  });
  const failed = new Map(templates.flatMap(({ looks }) => looks.failures.map((one) => [one.path, one] as const)));
  return {
    texts: templates.map(({ key, template, looks }) => textOf(key, template, looks.characters, places)),
    failures: [...failed.values()],
  };
}

function textOf(key: string, template: Template, characters: number, places: Places): DryText {
  const { each, isAll } = places;
  const expressions = templateExpressions(template);
  const missing = inEach(rootsIn(expressions), each, (known) => missingOf(expressions, known));
  const waitsFor = [...new Set(missing.flat())];
  const samples = each.slice(0, SAMPLES).map(({ known, path }): DrySample => {
    const value = foresee(template, known);
    const text = textual(key, value.type === 'value' ? value.value : partly(template, known));
    const item = /\/\d/.test(path) ? { path } : {};
    return { ...item, text, ...(value.type === 'fails' ? { fails: value.message } : {}) };
  });
  const isSame = new Set(samples.map(({ text }) => text)).size === 1;
  const [first] = samples;
  const shown = isSame && first && waitsFor.length > 0 ? [withoutPath(first)] : samples;
  return {
    key,
    samples: shown,
    waitsFor,
    characters: isAll ? characters : 0,
    ...(key === 'command' ? { programs: programsOf(template, each) } : {}),
  };
}

function withoutPath({ path: _, ...sample }: DrySample): DrySample {
  return sample;
}

interface Looks {
  readonly characters: number;
  readonly failures: readonly PlaceFailure[];
}

/** At all of its expressions, each time: how much text they certainly give, what is known to fail. */
function looksAt(template: Template, { each }: Places): Looks {
  const failures: PlaceFailure[] = [];
  let characters = each.length * writtenCharacters(template);
  for (const expression of templateExpressions(template)) {
    const looks = inEach(rootsIn([expression]), each, (known) => {
      const value = foresee({ type: 'expression', expression }, known);
      if (value.type === 'value') return asText(value.value).length;
      return value.type === 'fails' ? value.message : 0;
    });
    for (const [at, look] of looks.entries()) {
      if (typeof look === 'number') characters += look;
      else failures.push({ path: each[at]?.path ?? '', message: look });
    }
  }
  return { characters, failures };
}

function writtenCharacters(template: Template): number {
  if (template.type === 'literal') return asText(template.value).length;
  if (template.type !== 'text') return 0;
  return template.parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
}

/** With what is known put in, and the rest as it is written. */
function partly(template: Template, known: Known): Json {
  if (missingOf(templateExpressions(template), known).length === 0) {
    const whole = foresee(template, known);
    if (whole.type === 'value') return whole.value;
  }
  switch (template.type) {
    case 'literal':
      return template.value;
    case 'expression':
      return `\${{ ${template.expression.source} }}`;
    case 'text':
      return template.parts.map((part) => (typeof part === 'string' ? part : spelled(part, known))).join('');
    case 'list':
      return template.items.map((item) => partly(item, known));
    case 'map':
      return Object.fromEntries(template.entries.map(([key, value]) => [key, partly(value, known)]));
  }
}

function spelled(part: Extract<Template, { type: 'expression' }>['expression'], known: Known): string {
  const value = foresee({ type: 'expression', expression: part }, known);
  return value.type === 'value' ? asText(value.value) : `\${{ ${part.source} }}`;
}

/** A command on one line, its arguments apart where they hold blanks. */
function textual(key: string, value: Json): string {
  if (typeof value === 'string') return value;
  if (key !== 'command' || !Array.isArray(value)) return JSON.stringify(value, null, 2);
  return value.map((word) => (/^[\w./:@=,+-]+$/.test(String(word)) ? String(word) : JSON.stringify(word))).join(' ');
}

/** What only a run can tell stands there as written. */
function programsOf(template: Template, each: Places['each']): string[] {
  const word = template.type === 'list' ? template.items[0] : template;
  if (!word) return [];
  const words = inEach(rootsIn(templateExpressions(word)), each, (known) => {
    const value = partly(word, known);
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [asText(first)];
  });
  return [...new Set(words.flat())];
}
