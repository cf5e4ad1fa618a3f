/** From a service at an address, or a provider of the program's own, to a model: behind its guards, with what is known of it. */
import type { Clock } from '../core/context.js';
import type { ChosenModel, PriceOf, Provider } from '../core/model.js';
import type { ModelSettings, Price, RateLimits } from '../core/model-config.js';
import { contextOfServer, isOllama, sightOf } from './abilities.js';
import { type Breaker, createBreaker } from './breaker.js';
import { guarded, limiterOf } from './guarded.js';
import { isLoopback } from './http.js';
import { FREE, listed, priceAt, priceFrom } from './prices.js';
import { type Environment, keyFor, type Service } from './services.js';

export interface Address {
  readonly service: Service;
  /** For people, and for the limits: `openai`, `ollama`. */
  readonly name: string;
  /** A whole address. */
  readonly baseUrl: string;
}

export interface ModelSource {
  served(address: Address, id: string, settings: ModelSettings): ChosenModel;
  /** A provider of the program's own, asked for one of its models. */
  own(name: string, provider: Provider, id: string, settings: ModelSettings): ChosenModel;
  /** Answers from this program, or a file: it costs nothing, and no service limits it. */
  embedded(label: string, provider: Provider): ChosenModel;
}

export function createModelSource(
  env: Environment,
  limits: ReadonlyMap<string, RateLimits>,
  clock: Clock,
): ModelSource {
  const breakers = new Map<string, Breaker>();
  const open = new Map<string, Provider>();

  function guard(provider: Provider, place: string, allowed: RateLimits | undefined): Provider {
    const breaker = breakers.get(place) ?? createBreaker(clock);
    breakers.set(place, breaker);
    return guarded(provider, breaker, allowed && limiterOf(place, allowed, clock));
  }

  function once(key: string, make: () => Provider): Provider {
    const provider = open.get(key) ?? make();
    open.set(key, provider);
    return provider;
  }

  return {
    served({ service, name, baseUrl }, id, { parameters = {}, ...known }) {
      const { host, hostname } = new URL(baseUrl);
      const apiKey = keyFor(service, baseUrl, env);
      const sees = sightOf({ ...known, model: id });
      const contextTokens = known.contextTokens ?? contextOfServer(name, baseUrl, env);
      const server = {
        name,
        baseUrl,
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(contextTokens !== undefined && isOllama(name, baseUrl) ? { readsLastTokens: contextTokens } : {}),
      };
      const provider = once([name, baseUrl, server.readsLastTokens].join(' '), () =>
        guard(service.open(server, env), `${name} ${host}`, limits.get(name) ?? {}),
      );
      const isListed = contextTokens === undefined && !isLoopback(hostname);
      return {
        provider,
        model: id,
        label: `${name}/${id}`,
        host,
        parameters,
        placeholder: false,
        price: known.price ? fixed(known.price) : () => priceAt(baseUrl, id, clock),
        ...(sees === undefined ? {} : { sees }),
        ...(contextTokens === undefined ? {} : { contextTokens }),
        ...(isListed ? { listedContext: async () => (await listed(baseUrl, id, clock)).contextTokens } : {}),
      };
    },
    own(name, provider, id, { price, images, contextTokens, parameters = {} }) {
      const sees = provider.placeholder || images;
      return {
        provider: once(name, () => guard(provider, name, limits.get(name) ?? {})),
        model: id,
        label: `${name}/${id}`,
        host: '',
        parameters,
        placeholder: provider.placeholder === true,
        ...(price ? { price: fixed(price) } : provider.placeholder ? { price: FREE } : {}),
        ...(sees === undefined ? {} : { sees }),
        ...(contextTokens === undefined ? {} : { contextTokens }),
      };
    },
    embedded(label, provider) {
      return {
        provider: once(label, () => guard(provider, label, undefined)),
        model: label,
        label,
        host: '',
        parameters: {},
        placeholder: provider.placeholder === true,
        sees: true,
        price: FREE,
      };
    },
  };
}

function fixed(price: Price): () => Promise<PriceOf> {
  const priceOf = priceFrom(price);
  return () => Promise.resolve(priceOf);
}
