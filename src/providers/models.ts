/** Picks the model that stands behind a role or a `provider/model-id`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { ChosenModel, Models, Provider } from '../core/model.js';
import { nearest } from '../core/problems.js';
import { hostnameOf, requireKey } from './addresses.js';
import { withFallback, withoutFallback } from './fallbacks.js';
import { isLoopback } from './http.js';
import { type FetchJson, findLocalServer, getJson, LOCAL_SERVERS, listModels } from './local-servers.js';
import type { RateLimits } from './rate-limits.js';
import { createModelSource, type ModelSettings, SYSTEM_CLOCK } from './served.js';
import { addressOf, type Environment, keyFor, OPENAI, SERVICES, type Service, settingsOf } from './services.js';

/** A role of the configuration. */
export interface ModelRole extends ModelSettings {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** Roles or `provider/model-id`s to take when this one cannot be used for want of a key or a provider, or its service fails. */
  readonly fallback?: readonly string[];
}

export interface ModelsOptions {
  readonly roles: Readonly<Record<string, ModelRole>>;
  readonly env: Environment;
  /** `--model`: `sketch`, `script:<file>`, `provider/model-id` or a role. Replaces every model. */
  readonly flagModel?: string | undefined;
  /** Whether to look for a server on loopback when nothing is configured. */
  readonly detect: boolean;
  /** Relative script files start here; absolute. */
  readonly cwd: string;
  /** Providers beside the built-in ones, by the name that stands before the `/`; a whole `--model` may name one too. */
  readonly providers?: Readonly<Record<string, Provider>>;
  /** By the names of providers; shared by all who give the same clock. */
  readonly limits?: ReadonlyMap<string, RateLimits>;
  /** The system's unless given. */
  readonly clock?: Clock;
  /** Said to the person, once each. */
  readonly onNotice?: (text: string) => void;
  readonly fetchJson?: FetchJson;
}

/** What stands behind `default`, for the banner. */
export interface ModelChoice {
  readonly label: string;
  readonly host: string;
  /** Why this one, as half a sentence: "OPENAI_API_KEY is set". */
  readonly reason: string;
  /** No language model: its texts are placeholders, and what it makes must say so. */
  readonly placeholder: boolean;
  /** Names of models that take its place when its service fails. */
  readonly fallback?: readonly string[];
}

export interface PickedModels extends Models {
  /** Loads no price list. @param name a role, or `provider/model-id`; `default` unless given */
  describe(name?: string): Promise<ModelChoice>;
}

interface Chosen {
  readonly model: ChosenModel;
  readonly reason: string;
}

export function createModels(options: ModelsOptions): PickedModels {
  const { roles, env, flagModel, providers = {}, fetchJson = getJson, clock = SYSTEM_CLOCK } = options;
  const source = createModelSource(env, options.limits ?? new Map(), clock);
  const picked = new Map<string, Promise<Chosen>>();
  const said = new Set<string>();

  function notice(text: string): void {
    if (said.has(text)) return;
    said.add(text);
    options.onNotice?.(text);
  }

  function choose(name: string): Promise<Chosen> {
    const key = flagModel ?? name;
    const known = picked.get(key) ?? (flagModel === undefined ? byName(name) : byFlag(flagModel).then(withoutFallback));
    picked.set(key, known);
    return known;
  }

  async function byFlag(flag: string): Promise<Chosen> {
    const reason = `--model ${flag}`;
    if (flag === 'sketch') return embedded(flag, await sketch(), reason);
    if (flag.startsWith('script:')) {
      const file = resolve(options.cwd, flag.slice('script:'.length));
      if (!existsSync(file)) throw new Fault('input.invalid', `There is no script ${file}.`);
      const { scriptProvider } = await import('./script.js');
      return embedded(flag, scriptProvider(file), reason);
    }
    const own = providers[flag];
    if (own) return embedded(flag, own, reason);
    if (roles[flag]) return byRole(flag, roles[flag], reason);
    if (flag.includes('/')) return byId(flag, {}, reason);
    throw new Fault('provider.no_model', `"--model ${flag}" names no model.`, {
      hint: `Write provider/model-id, as in openai/${flag}.${didYouMean(flag, [...Object.keys(roles), 'sketch'])}`,
    });
  }

  async function byName(name: string): Promise<Chosen> {
    const role = roles[name];
    if (role) return byRole(name, role, `the role "${name}" of the configuration`);
    if (name.includes('/') || name === 'sketch') return byId(name, {}, 'the step names it');
    if (name === 'default') return byDefault();
    const fallback = await choose('default');
    if (!fallback.model.placeholder)
      notice(
        `No model is configured for the role "${name}"; "default" is used.${didYouMean(name, Object.keys(roles))}`,
      );
    return fallback;
  }

  async function byRole(name: string, role: ModelRole, reason: string, seen: readonly string[] = []): Promise<Chosen> {
    const { provider, model, baseUrl, fallback = [], ...settings } = role;
    const passed = [...seen, name];
    try {
      return withFallback(await byId(`${provider}/${model}`, settings, reason, baseUrl), fallback, passed);
    } catch (error) {
      if (!isNoModel(error)) throw error;
      for (const [at, next] of fallback.entries()) {
        const chosen = passed.includes(next) ? undefined : await byFallback(next, name, passed);
        if (!chosen) continue;
        notice(`The model of the role "${name}" cannot be used (${error.message}); its fallback "${next}" is used.`);
        return withFallback(chosen, fallback.slice(at + 1), [...passed, next]);
      }
      throw error;
    }
  }

  /** Undefined if it cannot be used, either. */
  async function byFallback(next: string, name: string, seen: readonly string[]): Promise<Chosen | undefined> {
    const reason = `the fallback of "${name}"`;
    const role = roles[next];
    if (!role && !next.includes('/')) return undefined;
    try {
      return await (role ? byRole(next, role, reason, seen) : byId(next, {}, reason));
    } catch (error) {
      if (isNoModel(error)) return undefined;
      throw error;
    }
  }

  /** In this order: a key in the environment, a server on loopback, the embedded sketch. */
  async function byDefault(): Promise<Chosen> {
    for (const service of SERVICES) {
      const { key, url } = settingsOf(service, env);
      if (key || (url && service.isCommon)) return fromEnvironment(service);
    }
    const found = options.detect ? await findLocalServer(fetchJson) : undefined;
    if (found) {
      const id = found.models[0] as string;
      notice(
        `Found ${found.name} at ${new URL(found.baseUrl).host}; its model ${id} is used (--no-detect to not look).`,
      );
      return served(OPENAI, found.name, id, found.baseUrl, {}, `found ${found.name} on this machine`);
    }
    return embedded('sketch', await sketch(), 'no key is set and no model server was found');
  }

  async function fromEnvironment(service: Service): Promise<Chosen> {
    const { prefix, key, url, model } = settingsOf(service, env);
    const reason = key ? `${prefix}_API_KEY is set` : `${prefix}_BASE_URL is set`;
    const baseUrl = url ?? service.url;
    if (!key) requireKey(service, baseUrl);
    const known = model ?? (service.isCommon && isLoopback(hostnameOf(baseUrl)) ? undefined : service.model);
    if (known !== undefined) return served(service, service.name, known, baseUrl, {}, reason);
    const [id] = await listModels(baseUrl, fetchJson);
    if (id !== undefined)
      return served(service, service.name, id, baseUrl, {}, `${reason}, and it lists this model first`);
    throw new Fault('provider.no_model', `The server at ${baseUrl} does not say which models it has.`, {
      hint: `Name one: --model ${service.name}/<model-id>, or ${prefix}_MODEL.`,
    });
  }

  async function byId(id: string, settings: ModelSettings, reason: string, baseUrl?: string): Promise<Chosen> {
    const slash = id.indexOf('/');
    const name = slash < 0 ? id : id.slice(0, slash);
    const model = slash < 0 ? '' : id.slice(slash + 1);
    const own = providers[name];
    if (own) return { model: source.own(name, own, model, settings), reason };
    if (name === 'sketch') return embedded('sketch', await sketch(), reason);
    if (model === '')
      throw new Fault('provider.no_model', `"${id}" has no model id.`, { hint: 'Write provider/model-id.' });
    const near = LOCAL_SERVERS.find((server) => server.name === name);
    const service = SERVICES.find((known) => known.name === name);
    const url = baseUrl ?? near?.baseUrl ?? (service && addressOf(service, env));
    if (url === undefined) {
      const known = [
        ...SERVICES.map((one) => one.name),
        ...LOCAL_SERVERS.map((server) => server.name),
        ...Object.keys(providers),
      ];
      throw new Fault('provider.no_model', `"${name}" is not a provider; known are ${known.join(', ')}.`, {
        hint: `For a server that speaks Chat Completions, write provider: openai with its base_url.${didYouMean(name, known)}`,
      });
    }
    if (service && url === service.url && keyFor(service, url, env) === undefined) requireKey(service, url);
    return served(service ?? OPENAI, name, model, url, settings, reason);
  }

  function served(
    service: Service,
    name: string,
    id: string,
    baseUrl: string,
    settings: ModelSettings,
    reason: string,
  ): Chosen {
    hostnameOf(baseUrl);
    return { model: source.served({ service, name, baseUrl }, id, settings), reason };
  }

  function embedded(label: string, provider: Provider, reason: string): Chosen {
    return { model: source.embedded(label, provider), reason };
  }

  return {
    pick: async (name) => (await choose(name)).model,
    async describe(name = 'default') {
      const { model, reason } = await choose(name);
      const { label, host, placeholder, fallback } = model;
      return { label, host, reason, placeholder, ...(fallback ? { fallback } : {}) };
    },
  };
}

function isNoModel(error: unknown): error is Fault {
  return error instanceof Fault && error.data.code === 'provider.no_model';
}

async function sketch(): Promise<Provider> {
  const { sketchProvider } = await import('./sketch.js');
  return sketchProvider();
}

function didYouMean(word: string, known: readonly string[]): string {
  const name = nearest(word, known);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}
