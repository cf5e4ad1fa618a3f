/** What the name of a model means, told from its form and the configuration alone. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../core/faults.js';
import type { Provider } from '../core/model.js';
import type { ModelRole, ModelRoles } from '../core/model-config.js';
import { nearest } from '../core/problems.js';
import { PROVIDER_NAMES } from '../core/provider-names.js';

export type Meaning =
  | Meant
  /** A role that nobody has configured: `default` is taken. */
  | { readonly type: 'unconfigured' };

export type Meant =
  | { readonly type: 'role'; readonly name: string; readonly role: ModelRole }
  | ModelId
  | { readonly type: 'sketch' }
  | { readonly type: 'script'; readonly file: string }
  /** A whole provider of the program's own. */
  | { readonly type: 'program'; readonly provider: Provider }
  /** What the environment gives. */
  | { readonly type: 'default' };

export interface ModelId {
  readonly type: 'id';
  readonly provider: string;
  /** '' if nothing was written. */
  readonly model: string;
}

/** What else a name is held against. */
export interface Known {
  readonly roles: ModelRoles;
  /** Relative script files start here; absolute. */
  readonly cwd: string;
  /** Of the program's own, beside the built-in ones. */
  readonly providers?: Providers;
}

export type Providers = Readonly<Record<string, Provider>>;

/** Of a name that a step gives. */
export function meaningOf(name: string, { roles }: Pick<Known, 'roles'>): Meaning {
  const role = roles.get(name);
  if (role) return { type: 'role', name, role };
  if (name === 'sketch') return { type: 'sketch' };
  if (name.includes('/')) return idOf(name);
  return name === 'default' ? { type: 'default' } : { type: 'unconfigured' };
}

/** Of `--model`, which replaces every model. Throws for what is none. */
export function meaningOfFlag(flag: string, { roles, cwd, providers = {} }: Known): Meant {
  if (flag === 'sketch') return { type: 'sketch' };
  if (flag.startsWith('script:')) {
    const file = resolve(cwd, flag.slice('script:'.length));
    if (!existsSync(file)) throw new Fault('input.invalid', `There is no script ${file}.`);
    return { type: 'script', file };
  }
  const provider = ownProvider(flag, providers);
  if (provider) return { type: 'program', provider };
  const role = roles.get(flag);
  if (role) return { type: 'role', name: flag, role };
  if (!flag.includes('/')) {
    const names = [...new Set(['default', ...roles.keys(), 'sketch'])];
    throw new Fault('provider.no_model', `"${flag}" names no model.`, {
      hint: `Name one of ${names.join(', ')}, or write provider/model-id, as in openai/${flag}.${didYouMean(flag, names)}`,
    });
  }
  const id = idOf(flag);
  const isKnown = PROVIDER_NAMES.includes(id.provider) || ownProvider(id.provider, providers) !== undefined;
  if (!isKnown || (id.model === '' && id.provider !== 'sketch')) throw notAnId(id, providers);
  return id;
}

/** For an id without a model, or whose provider has no address. */
export function notAnId({ provider, model }: ModelId, providers: Providers): Fault {
  if (model === '')
    return new Fault('provider.no_model', `"${provider}/" has no model id.`, { hint: 'Write provider/model-id.' });
  const known = [...PROVIDER_NAMES, ...Object.keys(providers)];
  return new Fault('provider.no_model', `"${provider}" is not a provider; known are ${known.join(', ')}.`, {
    hint: `For a server that speaks Chat Completions, write provider: openai with its base_url.${didYouMean(provider, known)}`,
  });
}

/** A model's id may hold more slashes. */
export function idOf(name: string): ModelId {
  const slash = name.indexOf('/');
  return { type: 'id', provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

export function ownProvider(name: string, providers: Providers): Provider | undefined {
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

/** Starts with a blank; '' if nothing is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const name = nearest(word, known);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}
