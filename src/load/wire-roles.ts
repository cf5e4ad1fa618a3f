/** The model roles of a configuration, as those who pick models take them: parameters by their names on the wire. */
import type { Json } from '../core/json.js';
import type { Config } from './config.js';

export interface WireRole {
  readonly provider: string;
  readonly model: string;
  readonly base_url?: string;
  readonly fallback: readonly string[];
  readonly price?: Json;
  readonly [parameter: string]: unknown;
}

export function wireRoles({ models }: Config): Record<string, WireRole> {
  return Object.fromEntries(
    [...models].map(([name, { provider, model, baseUrl, fallback, price, parameters }]) => [
      name,
      {
        ...parameters,
        provider,
        model,
        fallback,
        ...(baseUrl ? { base_url: baseUrl } : {}),
        ...(price ? { price: { ...price } } : {}),
      },
    ]),
  );
}

/** Names of the providers that a configuration speaks of. */
export function providerNames({ models, providers }: Config): Set<string> {
  return new Set([...[...models.values()].map(({ provider }) => provider), ...providers.keys()]);
}
