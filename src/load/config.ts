/** pipeline.config.yaml: the models of a project, then of its user. */
import path from 'node:path';
import type { RateLimits } from '../core/model-config.js';
import { nearest, type Problem } from '../core/problems.js';
import { PROVIDER_NAMES } from '../core/provider-names.js';
import { type PlacedRole, readRole } from './config-model.js';
import { type Reading, readFields } from './fields.js';
import { inOrder, takeNotes } from './notes.js';
import { CONFIG_FILE } from './project.js';
import { readText } from './text.js';
import { readBoolean, readChoice, readNumber } from './values.js';
import { parseYaml } from './yaml-text.js';
import { isNull, type YamlPair } from './yaml-tree.js';

export interface Config {
  readonly models: ReadonlyMap<string, PlacedRole>;
  readonly providers: ReadonlyMap<string, RateLimits>;
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
  /** Names of providers beside the built-in ones. */
  readonly providers?: readonly string[] | undefined;
}

interface ConfigFile {
  readonly models: Map<string, PlacedRole>;
  readonly providers: Map<string, RateLimits>;
  readonly detect?: boolean;
  readonly sandbox?: 'auto' | 'off';
  readonly file: string;
}

/** The project's file wins, role by role. */
export function loadConfig(places: ConfigPlaces): { readonly config: Config; readonly problems: readonly Problem[] } {
  const configHome = places.configHome ?? (places.homeDir ? path.join(places.homeDir, '.config') : undefined);
  const candidates = [
    path.join(places.projectDir, CONFIG_FILE),
    ...(configHome ? [path.join(configHome, 'pipeline', CONFIG_FILE)] : []),
  ];
  const problems: Problem[] = [];
  const files = candidates.flatMap((file) => {
    const read = readConfig(file, places.providers ?? []);
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
  return { config, problems: inOrder([...problems, ...unknownFallbacks(config), ...missedDefault(config)]) };
}

/** Names of the providers that a configuration speaks of. */
export function providerNames({ models, providers }: Config): Set<string> {
  return new Set([...[...models.values()].map(({ provider }) => provider), ...providers.keys()]);
}

/** A role that is nearly called `default`, where there is none: the configured model would never be used. */
function missedDefault({ models }: Config): Problem[] {
  if (models.has('default')) return [];
  return [...models].flatMap(([name, { at }]): Problem[] => {
    if (nearest(name, ['default']) === undefined) return [];
    const message = `The role "${name}" is used by nothing, and there is no "default".`;
    return [{ severity: 'error', rule: 'config-role', message, at, hint: 'Did you mean "default"?' }];
  });
}

function readConfig(
  file: string,
  providers: readonly string[],
): { readonly config?: ConfigFile; readonly problems: readonly Problem[] } {
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
    models: readEach(fields?.get('models'), (pair) => readRole(pair, reading, providers), reading),
    providers: readEach(
      fields?.get('providers'),
      (pair) => readProvider(pair, [...PROVIDER_NAMES, ...providers], reading),
      reading,
    ),
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

function readProvider(pair: YamlPair, known: readonly string[], reading: Reading): RateLimits | undefined {
  const near = known.includes(pair.key) ? undefined : nearest(pair.key, known);
  if (near !== undefined) {
    const hint = `Did you mean "${near}"?`;
    reading.notes.error('unknown-provider', pair.keySpan.at, `There is no provider "${pair.key}".`, { hint });
  }
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
