/** What the configuration and the price list tell of a role without picking its model: no key is needed for that. */
import type { PriceOf } from '../core/model.js';
import { LOCAL_SERVERS } from './local-servers.js';
import type { ModelRole } from './models.js';
import { FREE, priceAt, priceFrom } from './prices.js';
import { SYSTEM_CLOCK } from './served.js';
import { addressOf, type Environment, SERVICES } from './services.js';

type Place = Pick<ModelRole, 'provider' | 'baseUrl'>;

/** Where its requests go; undefined for none, or one that is no address. */
export function roleAddress({ provider, baseUrl }: Place, env: Environment): string | undefined {
  const service = SERVICES.find(({ name }) => name === provider);
  const near = LOCAL_SERVERS.find(({ name }) => name === provider);
  const url = baseUrl ?? near?.baseUrl ?? (service && addressOf(service, env));
  return url !== undefined && URL.canParse(url) ? url : undefined;
}

/** Undefined if nobody knows. */
export async function rolePrice(
  role: Place & Pick<ModelRole, 'model' | 'price'>,
  env: Environment,
): Promise<PriceOf | undefined> {
  if (role.price) return priceFrom(role.price);
  if (role.provider === 'sketch') return FREE();
  const url = roleAddress(role, env);
  return url === undefined ? undefined : priceAt(url, role.model, SYSTEM_CLOCK);
}
