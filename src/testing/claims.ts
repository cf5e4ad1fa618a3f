/** What an author claims of every run of a pipeline, in `always` or `never`: expressions over what a run did. */
import type { Expression } from '../core/expression.js';
import { toFault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import { type Reading, readFields } from '../load/fields.js';
import { compileConditionNode } from '../load/templates.js';
import { readString } from '../load/values.js';
import type { YamlNode, YamlPair } from '../load/yaml-tree.js';
import { withLookups } from './claim-lookups.js';
import type { RunFacts } from './run-facts.js';

export interface Claim {
  readonly holds: 'always' | 'never';
  readonly that: Expression;
  /** As the author wrote it. */
  readonly text: string;
  /** What it means, as a person says it: of `never` what must not be; the expression where the author says nothing. */
  readonly message: string;
}

/** A list of expressions, or of `{ that, message }`. */
export function readClaims(pair: YamlPair | undefined, holds: Claim['holds'], reading: Reading): Claim[] {
  if (!pair || pair.value.type === 'broken') return [];
  const nodes = pair.value.type === 'list' ? pair.value.items : [pair.value];
  return nodes.flatMap((node) => readClaim(node, holds, reading) ?? []);
}

function readClaim(node: YamlNode, holds: Claim['holds'], reading: Reading): Claim | undefined {
  const fields =
    node.type === 'map' ? readFields(node, { what: 'a claim', keys: ['that', 'message'] }, reading) : undefined;
  const value = fields ? fields.get('that')?.value : node;
  if (!value) {
    if (fields) reading.notes.error('missing-key', node.at, 'A claim needs "that", an expression.');
    return undefined;
  }
  const text = value.type === 'scalar' ? String(value.value) : '';
  const that = compileConditionNode(value, holds, reading.notes);
  if (!that) return undefined;
  const message = fields?.has('message') ? readString(fields.get('message'), reading) : undefined;
  return { holds, that: withLookups(that, reading.notes), text, message: message ?? text };
}

/** What is said of a claim that a run broke and that could be told. */
export const BROKEN = { always: 'it did not hold', never: 'it held' } as const satisfies Record<Claim['holds'], string>;

/** Undefined where it holds; else what speaks against it. */
export function brokenClaim({ holds, that }: Claim, facts: RunFacts): string | undefined {
  try {
    const value = that.evaluate(facts as unknown as Readonly<Record<string, Json>>);
    return (value === true) === (holds === 'always') ? undefined : BROKEN[holds];
  } catch (error) {
    return `it cannot be told: ${toFault(error).message}`;
  }
}
