/** Reads what a run may use: `limits`, `permissions`. */
import path from 'node:path';
import type { Limits, Permissions } from '../core/plan.js';
import { isProviderKey } from '../core/provider-keys.js';
import type { PipelineReading } from './draft.js';
import { readFields } from './fields.js';
import { readBoolean, readDuration, readNumber, readTexts } from './values.js';
import type { YamlPair } from './yaml-tree.js';

export function readLimits(pair: YamlPair | undefined, reading: PipelineReading): Partial<Limits> {
  const aliases = {
    timeout: { key: 'time' },
    cost: { key: 'usd' },
    parallel: { key: 'max_parallel' },
    concurrency: { key: 'max_parallel' },
  };
  const fields =
    pair &&
    readFields(pair.value, { what: '"limits"', keys: ['tokens', 'usd', 'time', 'max_parallel'], aliases }, reading);
  if (!fields) return {};
  const usd = readNumber(fields.get('usd'), reading, { min: 0 });
  const tokens = readNumber(fields.get('tokens'), reading, { min: 1, integer: true });
  const timeMs = readDuration(fields.get('time'), reading);
  const maxParallel = readNumber(fields.get('max_parallel'), reading, { min: 1, max: 1_000, integer: true });
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(maxParallel === undefined ? {} : { maxParallel }),
    ...(usd === undefined ? {} : { usd }),
  };
}

export function readPermissions(pair: YamlPair | undefined, reading: PipelineReading): Permissions {
  const fields =
    pair && readFields(pair.value, { what: '"permissions"', keys: ['read', 'write', 'env', 'network'] }, reading);
  const folders = (key: string): string[] =>
    (readTexts(fields?.get(key), reading, 'a list of paths') ?? []).map(({ text }) =>
      path.resolve(reading.projectDir, text),
    );
  const written = readTexts(fields?.get('env'), reading, 'a list of names of environment variables') ?? [];
  const names = written.map(({ text, at }) => ({ text: text.replace(/\?$/, ''), at, isOptional: text.endsWith('?') }));
  for (const { text, at, isOptional } of names) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text))
      reading.notes.error('env-name', at, `"${text}" is no name of an environment variable.`);
    else if (isProviderKey(text)) {
      reading.notes.error('env-secret', at, `"${text}" is a key of a model provider: no process is given it.`, {
        hint: 'Let an agent step call the model, or give the process a key of its own under another name.',
      });
    } else if (!isOptional && reading.env && reading.env[text] === undefined) {
      reading.notes.warn('env-unset', at, `The environment variable "${text}" is not set.`, {
        hint: `Set it before the run: export ${text}=… If it goes without, write "${text}?".`,
      });
    }
  }
  return {
    read: folders('read'),
    write: folders('write'),
    env: names.map(({ text }) => text),
    network: readBoolean(fields?.get('network'), reading) ?? false,
  };
}
