/** Paper sources served on loopback, and searches that ask them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Ran } from './script.js';

const SEARCH = fileURLToPath(new URL('../../skills/paper-search/scripts/search.mjs', import.meta.url));

export const NETWORK = ['semantic_scholar', 'openalex', 'arxiv', 'openreview', 'crossref', 'dblp'] as const;
export type Source = (typeof NETWORK)[number];

/** What a source does with its nth request, from 1. */
export type Reply = (request: URL, response: ServerResponse, nth: number) => void | Promise<void>;

export interface Servers {
  /** Every request, in order, by source. */
  readonly asked: Record<Source, URL[]>;
  readonly cache: string;
  /** What makes a search ask these servers. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs search.mjs against these servers. */
  search(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
}

/** A source that is not named answers 404. */
export async function serve(replies: Partial<Record<Source, Reply>>): Promise<Servers> {
  const asked = Object.fromEntries(NETWORK.map((source) => [source, [] as URL[]])) as Record<Source, URL[]>;
  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, first = '', ...rest] = url.pathname.split('/');
    const source = first as Source;
    const reply = replies[source];
    url.pathname = `/${rest.join('/')}`;
    asked[source]?.push(url);
    if (reply) void reply(url, response, asked[source].length);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const given = mkdtempSync(join(tmpdir(), 'paper-cache-'));
  const cache = join(given, 'paper-search');
  const bases = NETWORK.map((source) => [
    `PAPER_SEARCH_${source.toUpperCase()}_URL`,
    `http://127.0.0.1:${port}/${source}/`,
  ]);
  const ours = { ...Object.fromEntries(bases), PAPER_SEARCH_DISTANCE_MS: '0' } as Record<string, string>;
  return {
    asked,
    cache,
    env: { ...ours, XDG_CACHE_HOME: given },
    search: (args, env = {}) => runSearch([`--cache=${given}`, ...args], { ...ours, ...env }),
  };
}

/** Not synchronous: the servers live in this process. */
async function runSearch(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const child = spawn(process.execPath, [SEARCH, ...args], { env: { PATH: process.env.PATH ?? '', ...env } });
  child.stdin.end();
  const parts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    parts.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    parts.stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...parts };
}

/** An answer of status 200. */
export const json =
  (value: unknown): Reply =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

export const body =
  (text: string, type = 'application/json'): Reply =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(text);
  };

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Reply =>
  (_request, response) => {
    response.writeHead(code, headers).end('<html>busy</html>');
  };
