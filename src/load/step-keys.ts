/** Reads the keys that every step may have. */

import type { Template } from '../core/expression.js';
import { compileText } from '../core/expression.js';
import type { StepKind } from '../core/types.js';
import { publishProblem } from '../files/names.js';
import type { DraftAssertion, DraftForeach, DraftRepeat, DraftSave, PipelineReading, PlainParts } from './draft.js';
import { type Fields, readFields } from './fields.js';
import { CEL_WORDS } from './keys.js';
import { type Compiled, compileConditionNode, compileNode } from './templates.js';
import { readBoolean, readChoice, readDuration, readMinimum, readNumber, readTexts, shown } from './values.js';
import { describeNode, isNull, type YamlNode, type YamlPair } from './yaml-tree.js';

const DEFAULT_BACKOFF_MS = 1_000;
const MAX_ROUNDS = 100;

/** Undefined, with a problem said, if it cannot name a step. */
export function readId(
  pair: YamlPair | undefined,
  step: YamlNode,
  { notes, source }: PipelineReading,
): string | undefined {
  if (!pair) {
    notes.error('missing-id', step.at, 'The step has no "id".', { hint: 'Add id: a_name.' });
    return undefined;
  }
  const { value } = pair;
  if (value.type === 'broken') return undefined;
  const written = value.type === 'scalar' && value.value !== null ? String(value.value) : undefined;
  if (written === undefined) {
    notes.error('bad-id', value.at, `"id" must be a text, not ${describeNode(value)}.`);
    return undefined;
  }
  if (CEL_WORDS.has(written)) {
    notes.error('bad-id', value.at, `"${written}" is a word of the expression language and cannot be an id.`, {
      hint: `Write for example ${written}_step.`,
    });
    return undefined;
  }
  if (/^[a-z][a-z0-9_]*$/.test(written)) return written;
  const better = written
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '');
  const edit = better
    ? { start: value.start + source.skipped, end: value.end + source.skipped, text: better }
    : undefined;
  notes.error(
    'bad-id',
    value.at,
    `The id "${written}" must be lower-case letters, digits or _, beginning with a letter.`,
    {
      hint: better ? `Write "${better}".` : undefined,
      edit,
    },
  );
  return undefined;
}

export function readForeach(fields: Fields, reading: PipelineReading): DraftForeach | undefined {
  const pair = fields.get('foreach');
  const minSuccess = readMinimum(fields.get('min_success'), reading) ?? { share: 1 };
  const maxItems = readNumber(fields.get('max_items'), reading, { min: 1, integer: true });
  const maxParallel = readNumber(fields.get('max_parallel'), reading, { min: 1, integer: true });
  if (!pair) {
    for (const key of ['max_items', 'max_parallel', 'min_success']) {
      const lonely = fields.get(key);
      if (lonely)
        reading.notes.error('needs-foreach', lonely.keySpan.at, `"${key}" means nothing without "foreach".`, {
          hint: 'Remove it, or add foreach.',
        });
    }
    return undefined;
  }
  const over = readOver(pair, reading);
  const itemCount = pair.value.type === 'list' ? Math.max(1, pair.value.items.length) : undefined;
  return {
    over,
    at: pair.value.at,
    maxItems: maxItems ?? (fields.has('max_items') ? 1 : itemCount),
    maxParallel,
    minSuccess,
  };
}

function readOver(pair: YamlPair, reading: PipelineReading): Compiled {
  const unknown: Compiled = { template: { type: 'literal', value: [] }, isWhole: false };
  if (pair.value.type === 'list') return compileNode(pair.value, reading.notes);
  if (pair.value.type === 'scalar' && typeof pair.value.value === 'string') {
    const expression = compileConditionNode(pair.value, 'foreach', reading.notes);
    return expression ? { template: { type: 'expression', expression }, isWhole: true } : unknown;
  }
  if (pair.value.type !== 'broken') {
    reading.notes.error(
      'wrong-type',
      pair.value.at,
      `"foreach" must be an expression or a list, not ${shown(pair.value)}.`,
    );
  }
  return unknown;
}

export function readRepeat(pair: YamlPair | undefined, reading: PipelineReading): DraftRepeat | undefined {
  if (!pair) return undefined;
  const fields = readFields(
    pair.value,
    {
      what: '"repeat"',
      keys: ['until', 'max', 'on_max'],
      aliases: { while: { hint: 'Write the opposite as until.' }, times: { key: 'max' }, max_rounds: { key: 'max' } },
    },
    reading,
  );
  if (!fields) return undefined;
  for (const key of ['until', 'max']) {
    if (!fields.has(key))
      reading.notes.error('missing-key', pair.keySpan.at, `"repeat" needs "${key}".`, {
        hint: 'Write repeat: { until: …, max: … }.',
      });
  }
  const until = fields.get('until');
  return {
    until: until && compileConditionNode(until.value, 'until', reading.notes),
    max: readNumber(fields.get('max'), reading, { min: 1, max: MAX_ROUNDS, integer: true }) ?? 1,
    onMax: readChoice(fields.get('on_max'), ['fail', 'accept'], reading) ?? 'fail',
  };
}

export function readAsserts(pair: YamlPair | undefined, reading: PipelineReading): DraftAssertion[] {
  if (!pair || pair.value.type === 'broken') return [];
  if (pair.value.type !== 'list') {
    reading.notes.error(
      'wrong-type',
      pair.value.at,
      `"assert" must be a list of { that, message }, not ${describeNode(pair.value)}.`,
    );
    return [];
  }
  return pair.value.items.flatMap((item): DraftAssertion[] => {
    const fields = readFields(
      item,
      {
        what: 'an item of "assert"',
        keys: ['that', 'message'],
        aliases: { if: { key: 'that' }, expr: { key: 'that' }, error: { key: 'message' } },
      },
      reading,
    );
    if (!fields) return [];
    const that = fields.get('that');
    const message = fields.get('message');
    if (!that) reading.notes.error('missing-key', item.at, 'An item of "assert" needs "that".');
    if (!message)
      reading.notes.error('missing-key', item.at, 'An item of "assert" needs "message": it is what an agent is told.');
    if (message && message.value.type !== 'broken' && (message.value.type !== 'scalar' || isNull(message.value))) {
      reading.notes.error(
        'wrong-type',
        message.value.at,
        `"message" must be a text, not ${describeNode(message.value)}.`,
      );
    }
    return [
      {
        that: that && compileConditionNode(that.value, 'that', reading.notes),
        message: message
          ? compileNode(message.value, reading.notes)
          : { template: { type: 'literal', value: '' }, isWhole: false },
      },
    ];
  });
}

export function readSave(pair: YamlPair | undefined, reading: PipelineReading): DraftSave[] {
  if (!pair || pair.value.type === 'broken') return [];
  const { value } = pair;
  if (value.type === 'scalar' && typeof value.value === 'string') {
    checkSavePath(value.value, value, reading);
    return [{ path: compileNode(value, reading.notes).template, value: undefined, at: value.at }];
  }
  if (value.type !== 'map') {
    reading.notes.error(
      'wrong-type',
      value.at,
      `"save" must be a path or a mapping of paths to values, not ${describeNode(value)}.`,
    );
    return [];
  }
  return value.pairs.map((each) => {
    checkSavePath(each.key, each.keySpan, reading);
    return { path: keyTemplate(each, reading), value: compileNode(each.value, reading.notes), at: each.keySpan.at };
  });
}

function keyTemplate({ key, keySpan }: YamlPair, { notes, source }: PipelineReading): Template {
  const compiled = compileText(key, (offset) => source.position(keySpan.start + offset));
  if ('template' in compiled) return compiled.template;
  notes.problems.push(...compiled.problems);
  return { type: 'literal', value: key };
}

function checkSavePath(path: string, { at }: { readonly at: YamlNode['at'] }, { notes }: PipelineReading): void {
  if (path.includes('${{')) return;
  const problem = publishProblem(path);
  if (problem)
    notes.error('save-path', at, `"${path}" cannot be saved: ${problem}.`, {
      hint: 'Write a path inside the run folder, such as phase0/result.json.',
    });
}

export function readPlain(fields: Fields, kind: StepKind | undefined, reading: PipelineReading): PlainParts {
  const timeoutMs = readDuration(fields.get('timeout'), reading) ?? kind?.timeoutMs;
  const idleTimeoutMs = readDuration(fields.get('idle_timeout'), reading) ?? kind?.idleTimeoutMs;
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    artifacts: readArtifacts(fields.get('artifacts'), reading),
    retry: readRetry(fields.get('retry'), reading),
    limits: readStepLimits(fields.get('limits'), reading),
    onError: readChoice(fields.get('on_error'), ['fail', 'continue'], reading) ?? 'fail',
    effect: readChoice(fields.get('effect'), ['once', 'repeatable'], reading) ?? 'repeatable',
    cache: readBoolean(fields.get('cache'), reading) ?? true,
  };
}

function readArtifacts(pair: YamlPair | undefined, reading: PipelineReading): string[] {
  const items = readTexts(pair, reading, 'a list of paths or globs') ?? [];
  for (const { text, at } of items) {
    const isOutside = text.startsWith('/') || /^[A-Za-z]:|\\/.test(text) || text.split('/').includes('..');
    if (isOutside || text === '')
      reading.notes.error('artifact-path', at, `"${text}" is no glob inside the work folder.`, {
        hint: 'Write for example report.md or figures/*.png.',
      });
    if (text.includes('${{'))
      reading.notes.error('artifact-path', at, 'A glob of "artifacts" holds no ${{ }}.', {
        hint: 'Use * for the part that changes.',
      });
  }
  return items.map(({ text }) => text);
}

function readRetry(pair: YamlPair | undefined, reading: PipelineReading): PlainParts['retry'] {
  const none = { attempts: 1, backoffMs: DEFAULT_BACKOFF_MS };
  if (!pair) return none;
  const { value, keySpan } = pair;
  if (value.type === 'scalar' && typeof value.value === 'number') {
    const { skipped } = reading.source;
    const text = `{ attempts: ${value.value} }`;
    reading.notes.error('wrong-type', value.at, `"retry" must be a mapping, not the number ${value.value}.`, {
      hint: `Write retry: ${text}.`,
      edit: { start: value.start + skipped, end: value.end + skipped, text },
    });
    return none;
  }
  const fields = readFields(
    value,
    {
      what: '"retry"',
      keys: ['attempts', 'backoff'],
      aliases: {
        max: { key: 'attempts' },
        times: { key: 'attempts' },
        count: { key: 'attempts' },
        delay: { key: 'backoff' },
        wait: { key: 'backoff' },
      },
    },
    reading,
  );
  if (!fields) return none;
  if (!fields.has('attempts'))
    reading.notes.error('missing-key', keySpan.at, '"retry" needs "attempts".', {
      hint: 'Write retry: { attempts: 3, backoff: 2s }.',
    });
  return {
    attempts: readNumber(fields.get('attempts'), reading, { min: 1, max: 100, integer: true }) ?? 1,
    backoffMs: readDuration(fields.get('backoff'), reading) ?? DEFAULT_BACKOFF_MS,
  };
}

function readStepLimits(pair: YamlPair | undefined, reading: PipelineReading): PlainParts['limits'] {
  const fields =
    pair && readFields(pair.value, { what: '"limits" of a step', keys: ['tokens', 'usd', 'time'] }, reading);
  if (!fields) return {};
  const tokens = readNumber(fields.get('tokens'), reading, { min: 1, integer: true });
  const usd = readNumber(fields.get('usd'), reading, { min: 0 });
  const timeMs = readDuration(fields.get('time'), reading);
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(usd === undefined ? {} : { usd }),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
}
