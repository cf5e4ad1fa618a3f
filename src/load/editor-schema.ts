/** The JSON Schema of a pipeline file for editors, composed from the registered kinds; its descriptions are the hover texts. */
import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { StepKind } from '../core/kind.js';
import { CHILD } from './child-step.js';

const DURATION = { type: 'string', pattern: '^(\\d+(ms|s|m|h|d))+$' };
const CONDITION = { type: ['string', 'boolean'], description: 'A CEL expression, with or without ${{ }}.' };
const SCHEMA = {
  description: 'A JSON Schema, draft 7 or 2020-12: a path relative to this file, or written here.',
  anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'boolean' }],
};

const LIMITS = {
  type: 'object',
  properties: {
    tokens: { type: 'integer', minimum: 1, description: 'Tokens of all model calls (2 000 000 for a run).' },
    usd: { type: 'number', exclusiveMinimum: 0, description: 'Cost of all model calls in US dollars.' },
    time: { ...DURATION, description: 'Time, as 60m or 2h (2h for a run).' },
  },
  additionalProperties: false,
};

const STEP_KEYS: Readonly<Record<string, Json>> = {
  id: {
    type: 'string',
    pattern: '^[a-z][a-z0-9_]*$',
    description: 'Unique in the file; expressions name it as steps.<id>.',
  },
  title: { type: 'string', description: 'Shown to people; the id unless given.' },
  needs: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Ids that must settle first. Without it: the step above. []: starts at once. References add themselves.',
  },
  when: { ...CONDITION, description: 'Runs only if this is true; else the step is skipped and its output is null.' },
  foreach: {
    description:
      "Fans out over a list: each item is `item`, its place `index`. The output is the list of the items' outputs.",
    anyOf: [{ type: 'string' }, { type: 'array' }],
  },
  max_items: {
    type: 'integer',
    minimum: 0,
    description: 'More items are an error, not a cut. Needed unless the schema has maxItems.',
  },
  max_parallel: { type: 'integer', minimum: 1, description: 'Items at once; the limit of the run unless given.' },
  min_success: {
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^\\d+(\\.\\d+)?%$' },
    ],
    description: 'How many items must succeed: a count, or a share as 90%. All unless given.',
  },
  repeat: {
    type: 'object',
    description: 'Does the step, then tests `until` over its output, again and again.',
    properties: {
      until: { ...CONDITION, description: 'Over `output`; also sees `previous` and `iteration`.' },
      max: { type: 'integer', minimum: 1, maximum: 100, description: 'Rounds at most.' },
      on_max: { enum: ['fail', 'accept'], description: 'When `until` never held: fail, or take the last output.' },
    },
    required: ['until', 'max'],
    additionalProperties: false,
  },
  output: {
    ...SCHEMA,
    description: 'What the output must look like. An agent is held to it before its answer is accepted.',
  },
  assert: {
    type: 'array',
    description: 'What a schema cannot say. A false one goes back to an agent; any other step fails with the message.',
    items: {
      type: 'object',
      properties: {
        that: CONDITION,
        message: { type: 'string', description: 'Said when it is false; may hold ${{ }}.' },
      },
      required: ['that', 'message'],
      additionalProperties: false,
    },
  },
  artifacts: {
    type: 'array',
    items: { type: 'string' },
    description: 'Globs that must each match a file the step left in its work folder.',
  },
  save: {
    description: 'Files made from the output: a path, or a mapping of paths to values. `.json` as JSON, else text.',
    anyOf: [{ type: 'string' }, { type: 'object' }],
  },
  timeout: { ...DURATION, description: 'Of one attempt (10m for an agent or a process).' },
  idle_timeout: { ...DURATION, description: "Silence that ends an attempt (2m for a model's stream)." },
  retry: {
    type: 'object',
    description: 'Attempts of the whole step, for faults that a retry can heal.',
    properties: {
      attempts: { type: 'integer', minimum: 1, maximum: 100, description: 'All in all, the first one counted.' },
      backoff: { ...DURATION, description: 'The first wait; it doubles.' },
    },
    required: ['attempts'],
    additionalProperties: false,
  },
  limits: { ...LIMITS, description: 'Of this step, over all its attempts and items.' },
  on_error: {
    enum: ['fail', 'continue'],
    description: 'continue: the run goes on, steps.<id>.error says what happened.',
  },
  effect: { enum: ['repeatable', 'once'], description: 'once: an interrupted attempt is not repeated by itself.' },
  cache: { type: 'boolean', description: 'false: never reuse an earlier result.' },
};

/** Draft 7, since that is what editors know. */
export function editorSchema(kinds: readonly StepKind[]): JsonObject {
  const kindKeys = Object.fromEntries(kinds.map((kind) => [kind.name, withExpressions(kind.schema)]));
  const group = {
    steps: {
      type: 'array',
      minItems: 1,
      items: { $ref: '#/definitions/step' },
      description: 'A group: steps with a scope of their own.',
    },
    result: { description: "Of a group: its output. Without it: its steps' outputs by id." },
  };
  const child = { [CHILD.name]: withExpressions(CHILD.schema) };
  const names = ['steps', CHILD.name, ...kinds.map((kind) => kind.name)];
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'pipeline.yaml',
    description: 'A pipeline of steps, version 1.',
    type: 'object',
    properties: {
      version: { const: 1, description: 'Of the format.' },
      name: { type: 'string', description: "The skill's name; its runs are collected under skill_run/<name>/." },
      description: { type: 'string', description: 'What it is for, in a sentence.' },
      inputs: {
        type: 'object',
        description: 'JSON Schemas by name. `query` is always there; without a default an input is required.',
      },
      models: { type: 'array', items: { type: 'string' }, description: 'Model roles used beside `default`.' },
      limits: {
        ...LIMITS,
        properties: {
          ...LIMITS.properties,
          max_parallel: { type: 'integer', minimum: 1, description: 'Attempts at once (4).' },
        },
        description: 'Of the whole run.',
      },
      permissions: {
        type: 'object',
        description: 'What the run may touch beside its own folders. Paths are relative to the project.',
        properties: {
          read: { type: 'array', items: { type: 'string' }, description: 'Files or folders that file tools may read.' },
          write: { type: 'array', items: { type: 'string' }, description: 'Files or folders that may be written.' },
          env: {
            type: 'array',
            items: { type: 'string' },
            description: 'Environment variables that processes may see.',
          },
          network: {
            type: 'boolean',
            description: 'Whether what an agent runs by the tool `shell` reaches the network.',
          },
        },
        additionalProperties: false,
      },
      on_failure: { enum: ['continue', 'stop'], description: 'stop: a failed step cancels what still runs.' },
      accept_partial: { type: 'boolean', description: 'Count a run as done although something in it failed.' },
      steps: {
        type: 'array',
        minItems: 1,
        items: { $ref: '#/definitions/step' },
        description: 'Run in this order unless `needs` says otherwise.',
      },
      result: { description: "The pipeline's own result: printed at the end." },
    },
    required: ['steps'],
    definitions: {
      step: {
        type: 'object',
        properties: { ...STEP_KEYS, ...kindKeys, ...child, ...group },
        required: ['id'],
        oneOf: names.map((name) => ({ required: [name] })),
        additionalProperties: false,
      },
    },
  };
}

/** A value may be an expression instead. */
function withExpressions(schema: JsonObject): JsonObject {
  if (!isObject(schema.properties)) return schema;
  const properties = Object.entries(schema.properties).map(([name, own]) => {
    if (!isObject(own) || own.type === 'string' || own.type === undefined) return [name, own] as const;
    const { description, ...rest } = own;
    const either = { anyOf: [rest, { type: 'string', pattern: '\\$\\{\\{' }] };
    return [name, description === undefined ? either : { description, ...either }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
