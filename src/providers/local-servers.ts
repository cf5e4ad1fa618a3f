/** Model servers that may run on this machine: where they listen, and how to ask them what they have. */
import { Fault } from '../core/faults.js';
import { isObject } from '../core/json.js';
import { LOCAL_SERVER_NAMES, type LocalServerName } from '../core/provider-names.js';
import { readText, send } from './http.js';
import { parseJson, statusFault } from './wire-faults.js';

export interface LocalServer {
  readonly name: LocalServerName;
  readonly baseUrl: string;
  /** Answers with its models. */
  readonly listUrl: string;
  readonly modelsIn: (body: unknown) => readonly string[];
}

export interface FoundServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** The body of a GET, parsed; undefined if it is no JSON. Throws the fault that says why there is none. */
export type FetchJson = (url: string, timeoutMs: number, key?: string) => Promise<unknown>;

export const PROBE_TIMEOUT_MS = 300;
/** Of a server that a person has named. */
const LIST_TIMEOUT_MS = 3_000;
const MAX_LIST_BYTES = 1024 * 1024;

/** LM Studio answers 200 to any path, so only a body with models counts as an answer. */
const PLACES = {
  ollama: { port: 11434, listPath: '/api/tags', modelsIn: ollamaModels },
  lmstudio: { port: 1234, listPath: '/v1/models', modelsIn: openAiModels },
  llamacpp: { port: 8080, listPath: '/v1/models', modelsIn: openAiModels },
  vllm: { port: 8000, listPath: '/v1/models', modelsIn: openAiModels },
} as const satisfies { [Name in LocalServerName]: Place };

interface Place extends Pick<LocalServer, 'modelsIn'> {
  readonly port: number;
  readonly listPath: string;
}

export const LOCAL_SERVERS: readonly LocalServer[] = LOCAL_SERVER_NAMES.map((name) => {
  const { port, listPath, modelsIn } = PLACES[name];
  const origin = `http://127.0.0.1:${port}`;
  return { name, baseUrl: `${origin}/v1`, listUrl: `${origin}${listPath}`, modelsIn };
});

/** The first of them, in the order of the list, that has a model. */
export async function findLocalServer(fetchJson: FetchJson = getJson): Promise<FoundServer | undefined> {
  return firstWithModels(await probeLocalServers(fetchJson));
}

export function firstWithModels(servers: readonly FoundServer[]): FoundServer | undefined {
  return servers.find(({ models }) => models.length > 0);
}

/** All of them, asked at once; without models where nobody answers, or nothing that can talk is there. */
export async function probeLocalServers(fetchJson: FetchJson = getJson): Promise<FoundServer[]> {
  return Promise.all(
    LOCAL_SERVERS.map(async ({ name, baseUrl, listUrl, modelsIn }) => {
      const body = await fetchJson(listUrl, PROBE_TIMEOUT_MS).catch(() => undefined);
      return { name, baseUrl, models: modelsIn(body) };
    }),
  );
}

/** The models of a server that speaks Chat Completions; empty if it does not say. Throws the fault that says why it cannot be asked. */
export async function listModels(
  baseUrl: string,
  key: string | undefined,
  fetchJson: FetchJson = getJson,
): Promise<readonly string[]> {
  return openAiModels(await fetchJson(`${baseUrl.replace(/\/+$/, '')}/models`, LIST_TIMEOUT_MS, key));
}

export async function getJson(url: string, timeoutMs: number, key?: string): Promise<unknown> {
  const stop = new AbortController();
  const late = () =>
    new Fault('provider.silent', `${new URL(url).host} does not answer within ${timeoutMs / 1_000} s.`);
  const timer = setTimeout(() => stop.abort(late()), timeoutMs);
  const headers = { accept: 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
  try {
    const reply = await send({ method: 'GET', url, headers, signal: stop.signal });
    const body = await readText(reply, MAX_LIST_BYTES);
    if (reply.status !== 200) throw statusFault(reply.status, body, reply.headers, []);
    return parseJson(body);
  } finally {
    clearTimeout(timer);
  }
}

function ollamaModels(body: unknown): readonly string[] {
  return isObject(body) ? named(body.models, 'name') : [];
}

function openAiModels(body: unknown): readonly string[] {
  return isObject(body) ? named(body.data, 'id') : [];
}

/** Embedding models are listed beside the others, and cannot talk. */
function named(list: unknown, key: 'name' | 'id'): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list
    .map((entry) => (isObject(entry) ? entry[key] : undefined))
    .filter((name): name is string => typeof name === 'string' && name !== '' && !/embed/i.test(name));
}
