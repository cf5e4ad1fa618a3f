/** Picks the model that stands behind a role or a `provider/model-id`. */
import { systemClock } from '../core/clock.js';
import type { Clock } from '../core/context.js';
import { Fault, toFault } from '../core/faults.js';
import type { ChosenModel, Models, Provider } from '../core/model.js';
import type { ModelRole, ModelRoles, ModelSettings, RateLimits } from '../core/model-config.js';
import { hostnameOf, modelIn, requireKey, roleAddress } from './addresses.js';
import { withFallback, withoutFallback } from './fallbacks.js';
import { type FetchJson, type FoundServer, findLocalServer, getJson, listModels } from './local-servers.js';
import {
  didYouMean,
  idOf,
  type Meant,
  type ModelId,
  meaningOf,
  meaningOfFlag,
  notAnId,
  ownProvider,
  type Providers,
} from './meaning.js';
import { createModelSource } from './served.js';
import { type Environment, keyFor, OPENAI, SERVICES, type Service, serviceIn, settingsOf } from './services.js';

export interface ModelsOptions {
  readonly roles: ModelRoles;
  readonly env: Environment;
  /** `--model`: `sketch`, `script:<file>`, `provider/model-id` or a role. Replaces every model. */
  readonly flagModel?: string | undefined;
  /** Whether to look for a server on loopback when nothing is configured. */
  readonly detect: boolean;
  /** Relative script files start here; absolute. */
  readonly cwd: string;
  /** Providers beside the built-in ones, by the name that stands before the `/`; a whole `--model` may name one too. */
  readonly providers?: Providers;
  /** By the names of providers; shared by all who give the same clock. */
  readonly limits?: ReadonlyMap<string, RateLimits>;
  /** The system's unless given. */
  readonly clock?: Clock;
  /** Said to the person, once each. */
  readonly onNotice?: (text: string) => void;
  /** How a server that is not known is asked for its models. */
  readonly fetchJson?: FetchJson;
  /** Looks for a server on loopback: where it listens, with its models. */
  readonly findServer?: () => Promise<FoundServer | undefined>;
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
  const { roles, env, flagModel, providers = {}, fetchJson = getJson, clock = systemClock } = options;
  const { findServer = () => findLocalServer(fetchJson) } = options;
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
    return byMeaning(meaningOfFlag(flag, options), flag, `--model ${flag}`);
  }

  async function byName(name: string): Promise<Chosen> {
    const meaning = meaningOf(name, options);
    if (meaning.type !== 'unconfigured') {
      const reason = meaning.type === 'role' ? `the role "${name}" of the configuration` : 'the step names it';
      return byMeaning(meaning, name, reason);
    }
    const fallback = await choose('default');
    if (!fallback.model.placeholder)
      notice(`No model is configured for the role "${name}"; "default" is used.${didYouMean(name, [...roles.keys()])}`);
    return fallback;
  }

  async function byMeaning(meaning: Meant, name: string, reason: string): Promise<Chosen> {
    switch (meaning.type) {
      case 'role':
        return byRole(name, meaning.role, reason);
      case 'id':
        return byId(meaning, {}, reason);
      case 'sketch':
        return embedded(name, await sketch(), reason);
      case 'script': {
        const { readScript, scriptProvider } = await import('./script.js');
        // Before a run begins that could not go on.
        await readScript(meaning.file);
        return embedded(name, scriptProvider(meaning.file), reason);
      }
      case 'program':
        return embedded(name, meaning.provider, reason);
      case 'default':
        return byDefault();
    }
  }

  async function byRole(name: string, role: ModelRole, reason: string, seen: readonly string[] = []): Promise<Chosen> {
    const { provider, model, baseUrl, fallback = [], ...settings } = role;
    const passed = [...seen, name];
    try {
      return withFallback(await byId({ type: 'id', provider, model }, settings, reason, baseUrl), fallback, passed);
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
    const role = roles.get(next);
    if (!role && !next.includes('/')) return undefined;
    try {
      return await (role ? byRole(next, role, reason, seen) : byId(idOf(next), {}, reason));
    } catch (error) {
      if (isNoModel(error)) return undefined;
      throw error;
    }
  }

  /** In this order: a key in the environment, a server on loopback, the embedded sketch. */
  async function byDefault(): Promise<Chosen> {
    const service = serviceIn(env);
    if (service) return fromEnvironment(service);
    const found = options.detect ? await findServer() : undefined;
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
    const { prefix, key, url } = settingsOf(service, env);
    const reason = key ? `${prefix}_API_KEY is set` : `${prefix}_BASE_URL is set`;
    const baseUrl = url ?? service.url;
    if (!key) requireKey(service, baseUrl);
    const known = modelIn(env, service);
    if (known !== undefined) return served(service, service.name, known, baseUrl, {}, reason);
    const sent = keyFor(service, baseUrl, env);
    const [id] = await listModels(baseUrl, sent, fetchJson).catch((error: unknown) => {
      throw unlisted(service, baseUrl, sent !== undefined, error);
    });
    if (id !== undefined)
      return served(service, service.name, id, baseUrl, {}, `${reason}, and it lists this model first`);
    throw new Fault('provider.no_model', `The server at ${baseUrl} does not say which models it has.`, {
      hint: nameOne(service),
    });
  }

  async function byId(id: ModelId, settings: ModelSettings, reason: string, baseUrl?: string): Promise<Chosen> {
    const { provider: name, model } = id;
    const own = ownProvider(name, providers);
    if (own) return { model: source.own(name, own, model, settings), reason };
    if (name === 'sketch') return embedded('sketch', await sketch(), reason);
    const url = roleAddress({ provider: name, ...(baseUrl === undefined ? {} : { baseUrl }) }, env);
    if (model === '' || url === undefined) throw notAnId(id, providers);
    const service = SERVICES.find((known) => known.name === name);
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

/** Of a server that was asked for its models, and did not list them. */
function unlisted(service: Service, baseUrl: string, hasKey: boolean, error: unknown): Fault {
  const { message, hint } = toFault(error);
  const { prefix } = settingsOf(service, {});
  const wantsKey = !hasKey && /^HTTP 40[13]:/.test(message);
  return new Fault('provider.no_model', `The server at ${baseUrl} cannot be asked which models it has: ${message}`, {
    hint: wantsKey ? `It wants a key: export ${prefix}_API_KEY=…` : (hint ?? nameOne(service)),
  });
}

function nameOne(service: Service): string {
  return `Name one: --model ${service.name}/<model-id>, or ${settingsOf(service, {}).prefix}_MODEL.`;
}

function isNoModel(error: unknown): error is Fault {
  return error instanceof Fault && error.data.code === 'provider.no_model';
}

async function sketch(): Promise<Provider> {
  const { sketchProvider } = await import('./sketch.js');
  return sketchProvider();
}
