/** What a name stands for, as far as the configuration and the price list tell: no key is needed, nothing is looked for. */

import { systemClock } from '../core/clock.js';
import type { PriceOf } from '../core/model.js';
import type { ModelRole } from '../core/model-config.js';
import { sightOf } from './abilities.js';
import { modelIn, roleAddress } from './addresses.js';
import { type Known, type Meaning, meaningOf, meaningOfFlag } from './meaning.js';
import { FREE, priceAt, priceFrom } from './prices.js';
import { type Environment, serviceIn, settingsOf } from './services.js';

export interface OfflineModel {
  /** `provider/model-id`; undefined if only a run can tell. */
  readonly label: string | undefined;
  /** What it is if a run finds no server on this machine. */
  readonly orElse?: 'sketch';
  /** '' for none, or one that is not known. */
  readonly host: string;
  /** Whether it takes images; undefined if nobody knows. */
  readonly sees: boolean | undefined;
  readonly fallback: readonly string[];
  /** Undefined if nobody knows. */
  price(): Promise<PriceOf | undefined>;
}

export interface OfflineOptions extends Known {
  readonly env: Environment;
  /** `--model`: replaces every model. */
  readonly flagModel?: string | undefined;
}

const UNKNOWN: OfflineModel = {
  label: undefined,
  host: '',
  sees: undefined,
  fallback: [],
  price: async () => undefined,
};

/** Throws for a `--model` that names none. */
export function describeOffline(name: string, { flagModel, env, ...known }: OfflineOptions): OfflineModel {
  if (flagModel === undefined) return modelMeant(meaningOf(name, known));
  return { ...modelMeant(meaningOfFlag(flagModel, known)), fallback: [] };

  function modelMeant(meaning: Meaning): OfflineModel {
    switch (meaning.type) {
      case 'role':
        return describeRole(meaning.role, env);
      case 'id':
        return describeRole(meaning, env);
      case 'sketch':
        return embedded('sketch');
      case 'script':
      case 'program':
        return embedded(flagModel ?? name);
      case 'unconfigured':
        return modelMeant(meaningOf('default', known));
      case 'default':
        return byEnvironment(env);
    }
  }
}

/** A key in the environment stands for a model, unless its server has to be asked which ones it has. */
function byEnvironment(env: Environment): OfflineModel {
  const service = serviceIn(env);
  if (!service) return { ...UNKNOWN, orElse: 'sketch' };
  const url = settingsOf(service, env).url ?? service.url;
  const model = URL.canParse(url) ? modelIn(env, service) : undefined;
  return model === undefined ? UNKNOWN : describeRole({ provider: service.name, model, baseUrl: url }, env);
}

/** Of a role by itself, whether or not it can be used. */
export function describeRole(role: ModelRole, env: Environment): OfflineModel {
  const { provider, model, fallback = [] } = role;
  if (provider === 'sketch') return { ...embedded('sketch'), fallback };
  const written = roleAddress(role, env);
  const url = written !== undefined && URL.canParse(written) ? written : undefined;
  return {
    label: `${provider}/${model}`,
    host: url === undefined ? '' : new URL(url).host,
    sees: sightOf(role),
    fallback,
    price: async () =>
      role.price ? priceFrom(role.price) : url === undefined ? undefined : priceAt(url, model, systemClock),
  };
}

/** Answers from this program, or a file. */
export function embedded(label: string): OfflineModel {
  return { label, host: '', sees: true, fallback: [], price: FREE };
}
