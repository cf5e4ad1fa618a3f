/** Reads a list of steps. */
import { gateOffer } from '../core/gate.js';
import type { StepKind } from '../core/kind.js';
import { CHILD, readChild } from './child-step.js';
import type { Draft, DraftBody, PipelineReading } from './draft.js';
import { type Aliases, readFields } from './fields.js';
import { KIND_ALIASES, STEP_ALIASES, STEP_KEYS } from './keys.js';
import { checkConfig, shorthandHint } from './kind-config.js';
import { readSchema } from './schema-file.js';
import { readId, readPlain } from './step-keys.js';
import { readForeach, readRepeat } from './step-loops.js';
import { readAsserts, readSave } from './step-results.js';
import { compileConditionNode, compileNode } from './templates.js';
import { compileConfig } from './text-files.js';
import { readLabel, readTexts } from './values.js';
import { describeNode, toJson, type YamlNode, type YamlPair } from './yaml-tree.js';

const GROUP = 'steps';
/** Groups in groups; the YAML reader's own bound is wider. */
const MAX_STEPS = 10_000;

export function readSteps(pair: YamlPair, reading: PipelineReading, parent?: Draft): Draft[] {
  const { value } = pair;
  const { notes } = reading;
  if (value.type === 'broken') return [];
  if (value.type !== 'list') {
    notes.error('wrong-type', value.at, `"steps" must be a list of steps, not ${describeNode(value)}.`, {
      hint: 'Begin each step with "- id: …".',
    });
    return [];
  }
  if (value.items.length === 0) notes.error('no-steps', value.at, '"steps" is empty: there is nothing to run.');
  if (value.items.length > MAX_STEPS)
    notes.error('out-of-bounds', value.at, `"steps" holds ${value.items.length} steps; at most ${MAX_STEPS} are read.`);
  return value.items.slice(0, MAX_STEPS).flatMap((item) => readStep(item, reading, parent) ?? []);
}

function readStep(node: YamlNode, reading: PipelineReading, parent: Draft | undefined): Draft | undefined {
  const kindNames = [...reading.kinds.map(({ name }) => name), GROUP, CHILD.name];
  const fields = readFields(
    node,
    { what: 'a step', keys: [...STEP_KEYS, ...kindNames], aliases: aliasesFor(reading.kinds, kindNames) },
    reading,
  );
  if (!fields || node.type !== 'map') return undefined;
  const kindPairs = node.pairs.filter((pair) => kindNames.some((name) => fields.get(name) === pair));
  const kindKey = kindNames.find((name) => fields.get(name) === kindPairs[0]);
  const id = readId(fields.get('id'), node, reading);
  checkKindCount(kindPairs, node, kindNames, id, reading);
  const kind = reading.kinds.find(({ name }) => name === kindKey);
  const needsPair = fields.get('needs');
  const when = fields.get('when');
  const output = fields.get('output');
  const schema = output && readSchema(output.value, reading.file, reading);
  if (schema) reading.schemas.push(schema);
  const draft: { -readonly [K in keyof Draft]: Draft[K] } = {
    id: id ?? `?${node.start}`,
    title: readLabel(fields.get('title'), reading) ?? id ?? '?',
    at: fields.get('id')?.value.at ?? node.at,
    fields,
    needs: needsPair && (readTexts(needsPair, reading, 'a list of ids') ?? []),
    parent,
    when: when && compileConditionNode(when.value, 'when', reading.notes),
    foreach: readForeach(fields, reading),
    repeat: readRepeat(fields.get('repeat'), reading),
    output: schema?.isWhole ? schema : undefined,
    hasOutput: output !== undefined,
    assert: readAsserts(fields.get('assert'), reading),
    save: readSave(fields.get('save'), reading),
    plain: readPlain(fields, kind, reading),
    body: { type: 'unknown' },
  };
  draft.body = readBody(draft, kindKey, kind, reading);
  checkPlace(draft, reading);
  return draft;
}

const aliasesByKinds = new WeakMap<readonly StepKind[], Aliases>();

/** A name of a kind that is not there is said as such. */
function aliasesFor(kinds: readonly StepKind[], kindNames: readonly string[]): Aliases {
  const known = aliasesByKinds.get(kinds);
  if (known) return known;
  const aliases = Object.fromEntries(
    Object.entries(STEP_ALIASES).map(([written, alias]) => {
      const isThere = !('key' in alias) || STEP_KEYS.includes(alias.key) || kindNames.includes(alias.key);
      return [written, isThere ? alias : { hint: 'This version has no such kind of step.' }];
    }),
  );
  aliasesByKinds.set(kinds, aliases);
  return aliases;
}

function checkKindCount(
  pairs: readonly YamlPair[],
  node: YamlNode,
  kindNames: readonly string[],
  id: string | undefined,
  { notes }: PipelineReading,
): void {
  const step = id === undefined ? 'The step' : `Step "${id}"`;
  const names = kindNames.join(', ');
  const [, second] = pairs;
  if (second) {
    notes.error(
      'two-kinds',
      second.keySpan.at,
      `${step} is of more than one kind: ${pairs.map(({ key }) => key).join(', ')}.`,
      { hint: 'Make a step of each.' },
    );
  }
  if (pairs.length > 0 || node.type !== 'map') return;
  const isExplained = node.pairs.some(
    ({ key }) => Object.hasOwn(STEP_ALIASES, key) && 'hint' in (STEP_ALIASES[key] ?? {}),
  );
  if (!isExplained)
    notes.error('no-kind', node.at, `${step} does nothing: it has none of the keys ${names}.`, {
      hint: 'Add exactly one of them.',
    });
}

function readBody(
  draft: Draft,
  key: string | undefined,
  kind: StepKind | undefined,
  reading: PipelineReading,
): DraftBody {
  const pair = key === undefined ? undefined : draft.fields.get(key);
  const result = draft.fields.get('result');
  if (result && key !== GROUP && pair) {
    reading.notes.error(
      'unknown-key',
      result.keySpan.at,
      `"result" stands only on a group or at the top of the file.`,
      { hint: '"output" is always a schema; a value is computed by a set step.' },
    );
  }
  if (!pair) return { type: 'unknown' };
  if (key === CHILD.name) return readChild(pair, reading);
  if (!kind) {
    return {
      type: 'group',
      steps: readSteps(pair, reading, draft),
      result: result && compileNode(result.value, reading.notes),
    };
  }
  checkOutput(draft, kind, pair, reading);
  const before = reading.notes.problems.length;
  if (pair.value.type !== 'map' && pair.value.type !== 'broken' && kind.schema.type === 'object') {
    reading.notes.error(
      'wrong-type',
      pair.value.at,
      `"${kind.name}" must be a mapping, not ${describeNode(pair.value)}.`,
      { hint: shorthandHint(kind.name, pair.value) },
    );
  } else
    checkConfig(pair.value, { what: `"${kind.name}"`, schema: kind.schema, aliases: KIND_ALIASES[kind.name] }, reading);
  const isSchemaValid = reading.notes.problems.length === before;
  const config = compileConfig(pair.value, kind, reading);
  return {
    type: 'leaf',
    kind,
    node: pair.value,
    config,
    isValid: isSchemaValid && (config.isWhole || config.lacksText === true),
  };
}

function checkOutput(draft: Draft, kind: StepKind, pair: YamlPair, { notes }: PipelineReading): void {
  const output = draft.fields.get('output');
  if (kind.output === 'required' && !draft.hasOutput) {
    notes.error(
      'missing-output',
      pair.keySpan.at,
      `Step "${draft.id}" needs "output": a schema for the answer of its ${kind.name}.`,
      {
        hint: 'Write output: { type: object, properties: … }, or a path to a schema.',
      },
    );
  }
  if (kind.output !== 'none' || !output) return;
  const why =
    kind.name === 'gate'
      ? 'What a gate gives is fixed: {choice, comment, by, at}.'
      : `A step of kind "${kind.name}" has no output.`;
  notes.error('no-output', output.keySpan.at, why, { hint: 'Remove "output".' });
}

/** What ends the run would, inside of a loop over items, end them all at a moment that nobody chose. */
function checkPlace(draft: Draft, { notes }: PipelineReading): void {
  const hint = endingHint(draft);
  if (hint === undefined) return;
  for (let here: Draft | undefined = draft; here; here = here.parent) {
    if (!here.fields.has('foreach')) continue;
    const message = `Step "${draft.id}" cannot end the run from inside the foreach of "${here.id}".`;
    notes.error('end-in-foreach', draft.at, message, { hint });
    return;
  }
}

/** Of a step that can end the run: what to do instead. */
function endingHint({ body }: Draft): string | undefined {
  if (body.type !== 'leaf') return undefined;
  if (body.kind.name === 'end') return 'Let the items say it in their output, and put the end behind the loop.';
  if (body.kind.name !== 'gate' || gateOffer(toJson(body.node)).reject.length === 0) return undefined;
  return 'Write reject: [] on the gate; each choice is then a value that later steps read.';
}

/** Two steps of one name, wherever they stand. */
export function checkUniqueIds(drafts: readonly Draft[], { notes }: PipelineReading): void {
  const first = new Map<string, Draft>();
  for (const draft of drafts) {
    const known = first.get(draft.id);
    if (!known) first.set(draft.id, draft);
    else
      notes.error('duplicate-id', draft.at, `The id "${draft.id}" is taken by the step in line ${known.at.line}.`, {
        hint: 'Ids are unique in the file, also across groups.',
      });
  }
}
