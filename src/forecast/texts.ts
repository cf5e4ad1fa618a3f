/** The texts of a step that say what it does: prompts, commands, questions, with what is known put in. */
import { type Template, templateExpressions } from '../core/expression.js';
import { asText } from '../core/functions.js';
import type { Json } from '../core/json.js';
import { kindOf, type Step } from '../core/plan.js';
import { valueAt } from '../graph/written.js';
import { foresee, type Known, missingOf } from './known.js';

export interface DryText {
  /** The key under the kind: `prompt`, `command`, … */
  readonly key: string;
  /** Of the step, or of each of the first items of its loop. What only a run can tell stands there as written. */
  readonly samples: readonly DrySample[];
  /** What only a run can tell of it, as written; empty if it is whole. */
  readonly waitsFor: readonly string[];
  /** Of a command. */
  readonly program?: string;
  /** What is certainly sent, of one item. */
  readonly characters: number;
}

export interface DrySample {
  /** Of the item. */
  readonly index?: number;
  readonly text: string;
  readonly fails?: string;
}

/** By kind: what is worth seeing before a run. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  agent: ['prompt'],
  shell: ['run', 'command'],
  gate: ['ask'],
  end: ['message'],
  pipeline: ['query', 'inputs'],
};

export function textsOf(step: Step, places: readonly Known[]): DryText[] {
  if (step.body.type === 'group') return [];
  const { config } = step.body;
  return (KEYS[kindOf(step)] ?? []).flatMap((key) => {
    const template = valueAt(config, key);
    return template ? [textOf(key, template, step, places)] : [];
  });
}

function textOf(key: string, template: Template, step: Step, places: readonly Known[]): DryText {
  const waitsFor = [...new Set(places.flatMap((known) => missingOf(templateExpressions(template), known)))];
  const samples = places.map((known): DrySample => {
    const value = foresee(template, known);
    const text = textual(key, value.type === 'value' ? value.value : partly(template, known));
    const index = step.foreach && typeof known.index === 'number' ? { index: known.index } : {};
    return { ...index, text, ...(value.type === 'fails' ? { fails: value.message } : {}) };
  });
  const isSame = new Set(samples.map(({ text }) => text)).size === 1;
  const [first] = samples;
  const shown = isSame && first && waitsFor.length > 0 ? [withoutIndex(first)] : samples;
  const program = key === 'command' && places[0] ? programOf(template, places[0]) : undefined;
  return {
    key,
    samples: shown,
    waitsFor,
    characters: certain(template, places[0]),
    ...(program === undefined ? {} : { program }),
  };
}

function withoutIndex({ index: _, ...sample }: DrySample): DrySample {
  return sample;
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

function programOf(template: Template, known: Known): string | undefined {
  const value = partly(template, known);
  return Array.isArray(value) && value.length > 0 ? String(value[0]) : undefined;
}

/** Characters that are sent whatever the run's values are. */
function certain(template: Template, known: Known | undefined): number {
  if (template.type === 'literal') return asText(template.value).length;
  if (!known || template.type !== 'text') return 0;
  return template.parts.reduce((sum, part) => {
    if (typeof part === 'string') return sum + part.length;
    const value = foresee({ type: 'expression', expression: part }, known);
    return sum + (value.type === 'value' ? asText(value.value).length : 0);
  }, 0);
}
