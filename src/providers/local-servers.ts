/** Model servers that may run on this machine: where they listen, and how to ask them what they have. */
import { isObject } from '../core/json.js';
import { LOCAL_SERVER_NAMES, type LocalServerName } from '../core/provider-names.js';
import { readText, send } from './http.js';
import { parseJson } from './wire-faults.js';

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

/** The body of a GET, parsed; undefined for any failure. */
export type FetchJson = (url: string, timeoutMs: number) => Promise<unknown>;

export const PROBE_TIMEOUT_MS = 300;
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
      return { name, baseUrl, models: modelsIn(await fetchJson(listUrl, PROBE_TIMEOUT_MS)) };
    }),
  );
}

/** The models of a server that speaks Chat Completions; empty if it does not say. */
export async function listModels(baseUrl: string, fetchJson: FetchJson = getJson): Promise<readonly string[]> {
  return openAiModels(await fetchJson(`${baseUrl.replace(/\/+$/, '')}/models`, PROBE_TIMEOUT_MS));
}

export async function getJson(url: string, timeoutMs: number): Promise<unknown> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error('No answer in time.')), timeoutMs);
  try {
    const reply = await send({ method: 'GET', url, headers: { accept: 'application/json' }, signal: stop.signal });
    const body = await readText(reply, MAX_LIST_BYTES);
    return reply.status === 200 ? parseJson(body) : undefined;
  } catch {
    return undefined;
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
