/** Model servers that may run on this machine: where they listen, and how to ask them what they have. */
import { isObject } from '../core/json.js';
import { readText, send } from './http.js';
import { parseJson } from './wire-faults.js';

export interface LocalServer {
  readonly name: string;
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
export const LOCAL_SERVERS: readonly LocalServer[] = [
  local('ollama', 11434, '/api/tags', ollamaModels),
  local('lmstudio', 1234, '/v1/models', openAiModels),
  local('llamacpp', 8080, '/v1/models', openAiModels),
  local('vllm', 8000, '/v1/models', openAiModels),
];

/** The first of them, in the order of the list, that has a model. */
export async function findLocalServer(fetchJson: FetchJson = getJson): Promise<FoundServer | undefined> {
  return (await probeLocalServers(fetchJson)).find(({ models }) => models.length > 0);
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

function local(name: string, port: number, listPath: string, modelsIn: LocalServer['modelsIn']): LocalServer {
  const origin = `http://127.0.0.1:${port}`;
  return { name, baseUrl: `${origin}/v1`, listUrl: `${origin}${listPath}`, modelsIn };
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
