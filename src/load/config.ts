/** pipeline.config.yaml: the models of a project, then of its user. */
import path from 'node:path';
import type { JsonObject } from '../core/json.js';
import type { Position, Problem } from '../core/problems.js';
import { type Fields, type Reading, readFields } from './fields.js';
import { inOrder, takeNotes } from './notes.js';
import { CONFIG_FILE } from './project.js';
import { readText } from './text.js';
import { readBoolean, readChoice, readNumber, readString, readTexts } from './values.js';
import { parseYaml } from './yaml-text.js';
import { isNull, toJson, type YamlPair } from './yaml-tree.js';

export interface ModelRole {
  readonly provider: string;
  /** The id at the provider. */
  readonly model: string;
  readonly baseUrl?: string;
  /** Roles to take if this one does not answer. */
  readonly fallback: readonly string[];
  /** US dollars per million tokens. */
  readonly price?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** Sampling parameters by their names on the wire. */
  readonly parameters: JsonObject;
  readonly at: Position;
}

export interface ProviderLimits {
  /** Requests per minute. */
  readonly rpm?: number;
  /** Tokens per minute. */
  readonly tpm?: number;
  readonly maxParallel?: number;
}

export interface Config {
  readonly models: ReadonlyMap<string, ModelRole>;
  readonly providers: ReadonlyMap<string, ProviderLimits>;
  /** Whether a model server on loopback is looked for. */
  readonly detect: boolean;
  readonly sandbox: 'auto' | 'off';
  /** Absolute paths of the files it was read from. */
  readonly files: readonly string[];
}

export interface ConfigPlaces {
  readonly projectDir: string;
  readonly homeDir?: string | undefined;
  /** `XDG_CONFIG_HOME`; otherwise `.config` under the home directory. */
  readonly configHome?: string | undefined;
}

interface ConfigFile {
  readonly models: Map<string, ModelRole>;
  readonly providers: Map<string, ProviderLimits>;
  readonly detect?: boolean;
  readonly sandbox?: 'auto' | 'off';
  readonly file: string;
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
const MODEL_KEYS = ['provider', 'model', 'base_url', 'fallback', 'price', 'parameters', ...SAMPLING];

/** The project's file wins, role by role. */
export function loadConfig(places: ConfigPlaces): { readonly config: Config; readonly problems: readonly Problem[] } {
  const configHome = places.configHome ?? (places.homeDir ? path.join(places.homeDir, '.config') : undefined);
  const candidates = [
    path.join(places.projectDir, CONFIG_FILE),
    ...(configHome ? [path.join(configHome, 'pipeline', CONFIG_FILE)] : []),
  ];
  const problems: Problem[] = [];
  const files = candidates.flatMap((file) => {
    const read = readConfig(file);
    problems.push(...read.problems);
    return read.config ? [read.config] : [];
  });
  const farFirst = files.toReversed();
  const config: Config = {
    models: new Map(farFirst.flatMap(({ models }) => [...models])),
    providers: new Map(farFirst.flatMap(({ providers }) => [...providers])),
    detect: files.find(({ detect }) => detect !== undefined)?.detect ?? true,
    sandbox: files.find(({ sandbox }) => sandbox !== undefined)?.sandbox ?? 'auto',
    files: files.map(({ file }) => file),
  };
  return { config, problems: inOrder([...problems, ...unknownFallbacks(config)]) };
}

function readConfig(file: string): { readonly config?: ConfigFile; readonly problems: readonly Problem[] } {
  const read = readText(file);
  if (read.type === 'fault') {
    if (read.reason === 'missing') return { problems: [] };
    return {
      problems: [
        {
          severity: 'error',
          rule: 'config-unreadable',
          message: `The configuration cannot be read. ${read.message}`,
          at: read.at,
        },
      ],
    };
  }
  const { root, problems } = parseYaml(read.source);
  const reading: Reading = { source: read.source, notes: takeNotes() };
  const fields =
    root &&
    readFields(root, { what: 'the configuration', keys: ['models', 'providers', 'detect', 'sandbox'] }, reading);
  const detect = readBoolean(fields?.get('detect'), reading);
  const sandbox = readChoice(fields?.get('sandbox'), ['auto', 'off'], reading);
  const config: ConfigFile = {
    models: readEach(fields?.get('models'), readRole, reading),
    providers: readEach(fields?.get('providers'), readProvider, reading),
    ...(detect === undefined ? {} : { detect }),
    ...(sandbox === undefined ? {} : { sandbox }),
    file,
  };
  return { config, problems: [...problems, ...reading.notes.problems] };
}

function readEach<T>(
  pair: YamlPair | undefined,
  read: (pair: YamlPair, reading: Reading) => T | undefined,
  reading: Reading,
): Map<string, T> {
  const found = new Map<string, T>();
  if (!pair || pair.value.type === 'broken' || isNull(pair.value)) return found;
  if (pair.value.type !== 'map') {
    reading.notes.error('wrong-type', pair.value.at, `"${pair.key}" must be a mapping of names.`);
    return found;
  }
  for (const each of pair.value.pairs) {
    const value = read(each, reading);
    if (value) found.set(each.key, value);
  }
  return found;
}

function readRole(pair: YamlPair, reading: Reading): ModelRole | undefined {
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
  };
  const fields = readFields(pair.value, { what: `the model "${pair.key}"`, keys: MODEL_KEYS, aliases }, reading);
  if (!fields) return undefined;
  const provider = required(fields, 'provider', pair, reading);
  const model = required(fields, 'model', pair, reading);
  const baseUrl = readUrl(fields.get('base_url'), reading);
  const fallback = readTexts(fields.get('fallback'), reading, 'a list of roles')?.map(({ text }) => text) ?? [];
  const price = readPrice(fields.get('price'), reading);
  if (provider === undefined || model === undefined) return undefined;
  return {
    provider,
    model,
    fallback,
    parameters: readParameters(fields, reading),
    at: pair.keySpan.at,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(price === undefined ? {} : { price }),
  };
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

function readPrice(pair: YamlPair | undefined, reading: Reading): ModelRole['price'] {
  const fields = pair && readFields(pair.value, { what: '"price"', keys: ['input', 'output', 'cached'] }, reading);
  const amount = (key: string): number | undefined => readNumber(fields?.get(key), reading, { min: 0 });
  if (!fields || !pair) return undefined;
  const [input, output, cached] = [amount('input'), amount('output'), amount('cached')];
  if (!fields.has('input') || !fields.has('output')) {
    reading.notes.error(
      'missing-key',
      pair.keySpan.at,
      '"price" needs "input" and "output", in US dollars per million tokens.',
    );
  }
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cached === undefined ? {} : { cached }) };
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

function readProvider(pair: YamlPair, reading: Reading): ProviderLimits | undefined {
  const fields = readFields(
    pair.value,
    { what: `the provider "${pair.key}"`, keys: ['rpm', 'tpm', 'max_parallel'] },
    reading,
  );
  if (!fields) return undefined;
  const count = (key: string): number | undefined => readNumber(fields.get(key), reading, { min: 1, integer: true });
  const [rpm, tpm, maxParallel] = [count('rpm'), count('tpm'), count('max_parallel')];
  return {
    ...(rpm === undefined ? {} : { rpm }),
    ...(tpm === undefined ? {} : { tpm }),
    ...(maxParallel === undefined ? {} : { maxParallel }),
  };
}

function unknownFallbacks(config: Config): Problem[] {
  const problems: Problem[] = [];
  for (const [role, { fallback, at }] of config.models) {
    for (const name of fallback) {
      if (config.models.has(name) || name.includes('/')) continue;
      const message = `The model "${role}" falls back to "${name}", but no model has that name.`;
      problems.push({
        severity: 'error',
        rule: 'unknown-model',
        message,
        at,
        hint: `Known: ${[...config.models.keys()].join(', ')}.`,
      });
    }
  }
  return problems;
}
