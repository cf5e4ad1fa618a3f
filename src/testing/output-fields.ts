/** Whether a step's output can have the field that a test looks at, as far as its schema says. */
import type { Step } from '../core/plan.js';
import type { StepPattern } from '../core/step-pattern.js';
import { typeOfSchema } from '../load/infer-schema.js';
import { forms, type Type } from '../load/infer-types.js';

interface UnknownField {
  readonly name: string;
  readonly known: readonly string[];
}

/** The first name of the place that no output of the step can have. Of what no schema says, nothing is said. */
export function unknownField(step: Step, pattern: StepPattern, place: readonly string[]): UnknownField | undefined {
  if (!step.output) return undefined;
  const ofItem = typeOfSchema(step.output.json);
  const isList = step.foreach !== undefined && !/\/(?:\d+|\*)$/.test(pattern);
  // Where no item succeeded but one, its own output may be meant.
  let here: readonly Type[] = [...(isList ? [{ kind: 'list', item: ofItem } as const] : []), ...forms(ofItem)];
  for (const name of place) {
    if (here.some(({ kind }) => kind === 'dynamic')) return undefined;
    const next = here.flatMap((type) => below(type, name));
    if (next.length === 0) return { name, known: here.flatMap(fieldsOf) };
    here = next;
  }
  return undefined;
}

function below(type: Type, name: string): readonly Type[] {
  if (type.kind === 'list') return /^\d+$/.test(name) ? forms(type.first?.[Number(name)] ?? type.item) : [];
  if (type.kind !== 'map') return [];
  const field = type.fields.get(name);
  if (field) return forms(field.type);
  return type.rest ? forms(type.rest) : [];
}

function fieldsOf(type: Type): string[] {
  return type.kind === 'map' ? [...type.fields.keys()] : type.kind === 'list' ? ['0'] : [];
}
