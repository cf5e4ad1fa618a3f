/** Reads the keys that every step may have. */

import type { StepKind } from '../core/kind.js';
import type { PipelineReading, PlainParts } from './draft.js';
import { type Fields, readFields } from './fields.js';
import { CEL_WORDS } from './keys.js';
import { editOf, replacement } from './value-edit.js';
import { readBoolean, readChoice, readDuration, readNumber, readTexts } from './values.js';
import { describeNode, pairOf, type YamlNode, type YamlPair } from './yaml-tree.js';

const DEFAULT_BACKOFF_MS = 1_000;

/** Undefined, with a problem said, if it cannot name a step; the better one, with a problem said, if there is one. */
export function readId(
  pair: YamlPair | undefined,
  step: YamlNode,
  { notes, source, stepIds }: PipelineReading,
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
  const better = betterId(written);
  const meant = idMeant(written, stepIds);
  const edit = editOf(value, meant, { source });
  notes.error(
    'bad-id',
    value.at,
    `The id "${written}" must be lower-case letters, digits or _, beginning with a letter.`,
    {
      hint: meant ? `Write "${meant}".` : better ? `"${better}" is taken: choose another one.` : undefined,
      edit,
    },
  );
  return meant;
}

/** What a step is called once its id is mended; undefined if another step is, or would be. @param ids of all steps, as written */
export function idMeant(written: string, ids: readonly string[]): string | undefined {
  const better = betterId(written);
  return better !== '' && ids.filter((id) => betterId(id) === better).length < 2 ? better : undefined;
}

/** Of everything in a list, as written. */
export function writtenIds(node: YamlNode): string[] {
  if (node.type === 'map') return node.pairs.flatMap(({ value }) => writtenIds(value));
  if (node.type !== 'list') return [];
  const own = node.items.flatMap((item) => {
    const id = item.type === 'map' ? pairOf(item, 'id')?.value : undefined;
    return id?.type === 'scalar' && id.value !== null ? [String(id.value)] : [];
  });
  return [...own, ...node.items.flatMap(writtenIds)];
}

/** One that is right stays. */
function betterId(written: string): string {
  if (/^[a-z][a-z0-9_]*$/.test(written)) return written;
  return written
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '');
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
    const text = `{ attempts: ${value.value} }`;
    reading.notes.error('wrong-type', value.at, `"retry" must be a mapping, not the number ${value.value}.`, {
      hint: `Write retry: ${text}.`,
      edit: replacement(value, text, reading),
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
