/** What a configuration tells those who pick models: the roles, which providers it speaks of. */
import type { Config } from './config.js';
import type { ModelRole } from './config-model.js';

export function wireRoles({ models }: Config): Record<string, ModelRole> {
  return Object.fromEntries(models);
}

/** Names of the providers that a configuration speaks of. */
export function providerNames({ models, providers }: Config): Set<string> {
  return new Set([...[...models.values()].map(({ provider }) => provider), ...providers.keys()]);
}
