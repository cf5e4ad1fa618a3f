/** Tells an entry of a cassette from what only looks like one: a person may have edited it. */
import { isObject, type Json } from '../core/json.js';

type Check = (value: Json | undefined) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => typeof value === 'number';
const isMap: Check = (value) => isObject(value);
const isSchema: Check = (value) => isObject(value) || typeof value === 'boolean';

function maybe(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every((item: Json) => check(item));
}

/** Other fields may be there too. */
function shape(fields: Readonly<Record<string, Check>>): Check {
  return (value) => isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]));
}

const isCall = shape({ name: isText, arguments: isText, extra: maybe(isMap) });

const MESSAGES: Readonly<Record<string, Check>> = {
  user: shape({ text: isText, images: maybe(listOf(shape({ name: isText, mediaType: isText, sha256: isText }))) }),
  assistant: shape({ text: isText, calls: listOf(isCall), reasoning: maybe(isText) }),
  tool: shape({ callId: isText, name: isText, text: isText }),
};

const isMessage: Check = (value) =>
  isObject(value) &&
  typeof value.role === 'string' &&
  Object.hasOwn(MESSAGES, value.role) &&
  MESSAGES[value.role]?.(value) === true;

const FINISHES = ['stop', 'calls', 'length', 'refusal'];

/** With what the line takes over from the one before it. */
export const isExchange = shape({
  request: shape({
    model: isText,
    parameters: isMap,
    toolChoice: isText,
    system: isText,
    tools: listOf(shape({ name: isText, description: isText, parameters: isMap })),
    messages: listOf(isMessage),
    format: maybe(shape({ name: isText, schema: isSchema })),
  }),
  reply: shape({
    text: maybe(isText),
    reasoning: maybe(isText),
    calls: maybe(listOf(isCall)),
    finish: (value) => typeof value === 'string' && FINISHES.includes(value),
    usage: maybe(
      shape({ inputTokens: isCount, outputTokens: isCount, cachedTokens: isCount, cacheWrittenTokens: maybe(isCount) }),
    ),
  }),
}) as (value: unknown) => boolean;

export const isRecordedModel = shape({ label: isText, model: isText, host: isText, parameters: isMap });
