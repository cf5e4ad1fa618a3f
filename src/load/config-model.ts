/** Reads one model role of pipeline.config.yaml. */
import type { JsonObject } from '../core/json.js';
import type { ModelRole, Price } from '../core/model-config.js';
import { nearest, type Position } from '../core/problems.js';
import { PROVIDER_NAMES } from '../core/provider-names.js';
import { certainly } from './certain.js';
import { type Fields, type Reading, readFields } from './fields.js';
import { editOf } from './value-edit.js';
import { readBoolean, readNumber, readString, readTexts } from './values.js';
import { toJson, type YamlPair } from './yaml-tree.js';

/** A role with its place in the file. */
export interface PlacedRole extends ModelRole {
  readonly fallback: readonly string[];
  readonly at: Position;
}

const SAMPLING = [
  'temperature',
  'top_p',
  'top_k',
  'max_tokens',
  'seed',
  'stop',
  'frequency_penalty',
  'presence_penalty',
  'reasoning_effort',
];
const MODEL_KEYS = [
  'provider',
  'model',
  'base_url',
  'fallback',
  'price',
  'images',
  'context',
  'parameters',
  ...SAMPLING,
];

/** @param known providers beside the built-in ones */
export function readRole(pair: YamlPair, reading: Reading, known: readonly string[] = []): PlacedRole | undefined {
  if (!/^[a-z][a-z0-9_]*$/.test(pair.key)) {
    reading.notes.error('model-role', pair.keySpan.at, `"${pair.key}" is no name of a role.`, {
      hint: 'Use lower-case letters, digits and _.',
    });
  }
  const never = {
    hint: 'Keys never stand in a file: set the environment variable of the provider, such as OPENAI_API_KEY.',
  };
  const aliases = {
    api_key: never,
    apiKey: never,
    key: never,
    url: { key: 'base_url' },
    baseUrl: { key: 'base_url' },
    baseURL: { key: 'base_url' },
    id: { key: 'model' },
    vision: { key: 'images' },
    context_window: { key: 'context' },
  };
  const fields = readFields(pair.value, { what: `the model "${pair.key}"`, keys: MODEL_KEYS, aliases }, reading);
  if (!fields) return undefined;
  const provider = required(fields, 'provider', pair, reading);
  const model = required(fields, 'model', pair, reading);
  if (provider !== undefined) checkProvider(provider, fields, known, reading);
  const baseUrl = readUrl(fields.get('base_url'), reading);
  const fallback = readTexts(fields.get('fallback'), reading, 'a list of roles')?.map(({ text }) => text) ?? [];
  const price = readPrice(fields.get('price'), reading);
  const images = readBoolean(fields.get('images'), reading);
  const contextTokens = readNumber(fields.get('context'), reading, { min: 1, integer: true });
  if (provider === undefined || model === undefined) return undefined;
  return {
    provider,
    model,
    fallback,
    parameters: readParameters(fields, reading),
    at: pair.keySpan.at,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(price === undefined ? {} : { price }),
    ...(images === undefined ? {} : { images }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}

/** One that is not known at all may have a fallback; what is nearly one that is known is a slip. */
function checkProvider(name: string, fields: Fields, more: readonly string[], { notes, source }: Reading): void {
  const known = [...PROVIDER_NAMES, ...more];
  const near = known.includes(name) ? undefined : nearest(name, known);
  const node = fields.get('provider')?.value;
  if (near === undefined || !node) return;
  const meant = certainly(name, known);
  notes.error('unknown-provider', node.at, `There is no provider "${name}".`, {
    hint: `Did you mean "${near}"?`,
    edit: editOf(node, meant, { source }),
  });
}

function required(fields: Fields, key: string, owner: YamlPair, reading: Reading): string | undefined {
  const pair = fields.get(key);
  if (!pair) reading.notes.error('missing-key', owner.keySpan.at, `The model "${owner.key}" needs "${key}".`);
  return readString(pair, reading);
}

function readUrl(pair: YamlPair | undefined, reading: Reading): string | undefined {
  const text = readString(pair, reading);
  if (pair === undefined || text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  const hint =
    url?.username || url?.password
      ? 'Leave the name and the password out.'
      : 'Write for example "http://127.0.0.1:11434/v1".';
  reading.notes.error('base-url', pair.value.at, `"base_url" must be an http or https address without credentials.`, {
    hint,
  });
  return undefined;
}

function readPrice(pair: YamlPair | undefined, reading: Reading): Price | undefined {
  const keys = ['input', 'output', 'cached', 'cache_write'];
  const fields = pair && readFields(pair.value, { what: '"price"', keys }, reading);
  const amount = (key: string): number | undefined => readNumber(fields?.get(key), reading, { min: 0 });
  if (!fields || !pair) return undefined;
  const [input, output, cached, cacheWrite] = keys.map(amount);
  if (!fields.has('input') || !fields.has('output')) {
    reading.notes.error(
      'missing-key',
      pair.keySpan.at,
      '"price" needs "input" and "output", in US dollars per million tokens.',
    );
  }
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cached === undefined ? {} : { cached }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

function readParameters(fields: Fields, reading: Reading): JsonObject {
  const others = fields.get('parameters');
  if (others && others.value.type !== 'map')
    reading.notes.error('wrong-type', others.value.at, '"parameters" must be a mapping.');
  const named = SAMPLING.flatMap((key) => {
    const pair = fields.get(key);
    return pair ? [[key, toJson(pair.value)] as const] : [];
  });
  for (const key of ['temperature', 'top_p', 'max_tokens', 'seed'])
    readNumber(fields.get(key), reading, key === 'max_tokens' ? { min: 1, integer: true } : {});
  return {
    ...(others?.value.type === 'map' ? (toJson(others.value) as JsonObject) : {}),
    ...Object.fromEntries(named),
  };
}
