/** Whether the services of the configured models answer, by asking each for its list of models: it costs nothing. */
import { toFault } from '../core/faults.js';
import { isObject } from '../core/json.js';
import type { ModelRoles } from '../core/model-config.js';
import { nearest } from '../core/problems.js';
import { modelIn, roleAddress } from './addresses.js';
import { isLoopback, readText, send } from './http.js';
import { type Environment, keyFor, type Service, serviceIn, serviceOf, settingsOf } from './services.js';
import { parseJson } from './wire-faults.js';

/** A service that models are asked at. */
export interface Reached {
  /** Roles that stand for its models. */
  readonly roles: readonly string[];
  readonly host: string;
  /** It answers, takes the key and has the models, as far as it says. */
  readonly ok: boolean;
  /** As half a sentence: `answers, and lists gpt-5-mini`. Holds nothing of a key. */
  readonly text: string;
  readonly remedy?: string;
}

const PATIENCE_MS = 3_000;
/** Of the list; a hub has thousands of models. */
const MOST_BYTES = 8 * 1024 * 1024;

interface Place {
  readonly service: Service;
  readonly baseUrl: string;
  readonly roles: string[];
  readonly models: Set<string>;
}

export async function reachServices(roles: ModelRoles, env: Environment): Promise<Reached[]> {
  return Promise.all(placesOf(roles, env).map((place) => reach(place, env)));
}

/** One for each address; what a key in the environment opens stands behind `default` where nothing is configured. */
function placesOf(roles: ModelRoles, env: Environment): Place[] {
  const places = new Map<string, Place>();
  const add = (role: string, service: Service, baseUrl: string, model: string | undefined) => {
    const key = `${service.name} ${baseUrl}`;
    const place = places.get(key) ?? { service, baseUrl, roles: [], models: new Set() };
    place.roles.push(role);
    if (model !== undefined) place.models.add(model);
    places.set(key, place);
  };
  for (const [name, role] of roles) {
    const url = roleAddress(role, env);
    if (url !== undefined && URL.canParse(url)) add(name, serviceOf(role.provider), url, role.model);
  }
  const given = roles.has('default') ? undefined : serviceIn(env);
  if (given) {
    const { url = given.url } = settingsOf(given, env);
    if (URL.canParse(url)) add('default', given, url, modelIn(env, given));
  }
  return [...places.values()];
}

async function reach(place: Place, env: Environment): Promise<Reached> {
  const { service, baseUrl, roles } = place;
  const { host } = new URL(baseUrl);
  const key = keyFor(service, baseUrl, env);
  const stop = AbortSignal.timeout(PATIENCE_MS);
  try {
    const reply = await send({ method: 'GET', url: listUrl(place), headers: headersFor(service, key), signal: stop });
    const body = await readText(reply, MOST_BYTES);
    return { roles, host, ...judged(reply.status, body, place, key !== undefined) };
  } catch (error) {
    if (stop.aborted) {
      const remedy = 'check the network and the base URL';
      return { roles, host, ok: false, text: `does not answer within ${PATIENCE_MS / 1_000} s`, remedy };
    }
    const { message, hint } = toFault(error);
    const why = message.replace(`The connection to ${host} `, 'the connection ').replace(/\.$/, '');
    return { roles, host, ok: false, text: `cannot be asked: ${why}`, ...(hint === undefined ? {} : { remedy: hint }) };
  }
}

function listUrl({ service, baseUrl }: Place): string {
  const base = baseUrl.replace(/\/+$/, '');
  return service.isCommon ? `${base}/models` : `${base.replace(/\/v1$/, '')}/v1/models?limit=1000`;
}

function headersFor(service: Service, key: string | undefined): Record<string, string> {
  const accept = { accept: 'application/json' };
  if (service.isCommon) return key === undefined ? accept : { ...accept, authorization: `Bearer ${key}` };
  const versioned = { ...accept, 'anthropic-version': '2023-06-01' };
  return key === undefined ? versioned : { ...versioned, 'x-api-key': key };
}

function judged(
  status: number,
  body: string,
  { service, baseUrl, models }: Place,
  hasKey: boolean,
): Pick<Reached, 'ok' | 'text' | 'remedy'> {
  const { prefix } = settingsOf(service, {});
  const variable = `${prefix}_API_KEY`;
  if (status === 401 || status === 403) {
    if (hasKey) {
      const text = `refuses the key in ${variable} (HTTP ${status})`;
      return { ok: false, text, remedy: `export ${variable}=… with a key that is valid there` };
    }
    const home = isLoopback(new URL(baseUrl).hostname)
      ? ''
      : `, and ${prefix}_BASE_URL=${baseUrl}: a key goes only there`;
    return { ok: false, text: `wants a key (HTTP ${status}), and none is sent`, remedy: `export ${variable}=…${home}` };
  }
  const listed = status === 200 ? idsIn(body) : undefined;
  if (!listed) {
    const isAway = status === 429 || status >= 500;
    const remedy = isAway ? 'try again later' : `check the base URL ${baseUrl}, which usually ends in /v1`;
    return { ok: false, text: `answers, but lists no models (HTTP ${status})`, remedy };
  }
  const missing = [...models].filter((model) => !listed.some((id) => id === model || id.startsWith(`${model}-`)));
  if (missing.length > 0) {
    const near = missing.flatMap((model) => nearest(model, listed) ?? []);
    const remedy = `it lists ${[...new Set([...near, ...listed])].slice(0, 5).join(', ') || 'nothing'}`;
    return { ok: false, text: `answers, but does not list ${missing.join(', ')}`, remedy };
  }
  return { ok: true, text: models.size === 0 ? 'answers' : `answers, and lists ${[...models].join(', ')}` };
}

function idsIn(body: string): string[] | undefined {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.data)) return undefined;
  return value.data.flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [one.id] : []));
}
