/** Addresses of model servers, as people write them: what is none, what cannot be asked without a key. */
import { Fault } from '../core/faults.js';
import type { ModelRole } from '../core/model-config.js';
import { variablePrefix } from '../core/provider-names.js';
import { isLoopback } from './http.js';
import { LOCAL_SERVERS } from './local-servers.js';
import { type Environment, SERVICES, type Service, settingsOf } from './services.js';

const REAL_MODEL_HINT =
  'Set OPENAI_API_KEY (OPENAI_BASE_URL for another host) or ANTHROPIC_API_KEY, start a model server on this machine, or run with --model sketch.';

/** Where requests to a provider go, as it was written; undefined for one that is not known. */
export function roleAddress(
  { provider, baseUrl }: Pick<ModelRole, 'provider' | 'baseUrl'>,
  env: Environment,
): string | undefined {
  const service = SERVICES.find(({ name }) => name === provider);
  const near = LOCAL_SERVERS.find(({ name }) => name === provider);
  return baseUrl ?? near?.baseUrl ?? (service && (settingsOf(service, env).url ?? service.url));
}

/** Throws `provider.no_model` for what is no address. */
export function hostnameOf(baseUrl: string): string {
  if (URL.canParse(baseUrl)) return new URL(baseUrl).hostname;
  throw new Fault('provider.no_model', `The base URL "${baseUrl}" is not an address.`, {
    hint: 'It looks like https://host/v1.',
  });
}

/** What a service is asked for unless a role says it. Undefined for a server on this machine: it has models of its own. */
export function modelIn(env: Environment, service: Service): string | undefined {
  const { url = service.url, model } = settingsOf(service, env);
  if (model !== undefined) return model;
  return service.isCommon && isLoopback(hostnameOf(url)) ? undefined : service.model;
}

/** Of a service whose key is not set: only a server on this machine needs none. */
export function requireKey({ name }: Service, baseUrl: string): void {
  if (isLoopback(hostnameOf(baseUrl))) return;
  const { host } = new URL(baseUrl);
  throw new Fault('provider.no_model', `There is no key for ${host}: ${variablePrefix(name)}_API_KEY is not set.`, {
    hint: REAL_MODEL_HINT,
  });
}
