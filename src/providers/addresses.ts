/** Addresses of model servers, as people write them: what is none, what cannot be asked without a key. */
import { Fault } from '../core/faults.js';
import { isLoopback } from './http.js';
import type { Service } from './services.js';

const REAL_MODEL_HINT =
  'Set OPENAI_API_KEY (OPENAI_BASE_URL for another host) or ANTHROPIC_API_KEY, start a model server on this machine, or run with --model sketch.';

/** Throws `provider.no_model` for what is no address. */
export function hostnameOf(baseUrl: string): string {
  if (URL.canParse(baseUrl)) return new URL(baseUrl).hostname;
  throw new Fault('provider.no_model', `The base URL "${baseUrl}" is not an address.`, {
    hint: 'It looks like https://host/v1.',
  });
}

/** Of a service whose key is not set: only a server on this machine needs none. */
export function requireKey({ name }: Service, baseUrl: string): void {
  if (isLoopback(hostnameOf(baseUrl))) return;
  const { host } = new URL(baseUrl);
  throw new Fault('provider.no_model', `There is no key for ${host}: ${name.toUpperCase()}_API_KEY is not set.`, {
    hint: REAL_MODEL_HINT,
  });
}
