/** Reads `foreach` with its bounds, or `repeat`. */
import type { DraftForeach, DraftRepeat, PipelineReading } from './draft.js';
import { type Fields, readFields } from './fields.js';
import { type Compiled, compileConditionNode, compileNode } from './templates.js';
import { readChoice, readMinimum, readNumber, shown } from './values.js';
import type { YamlPair } from './yaml-tree.js';

const MAX_ROUNDS = 100;

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
