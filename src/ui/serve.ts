/** Opens the ui on this machine's own address, which no other machine reaches. */
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '../core/faults.js';
import { createApp } from './app.js';
import { createDoor } from './door.js';
import { createHouse } from './house.js';
import { knownRuns } from './known-runs.js';
import { createPulse } from './pulse.js';
import type { Given } from './sessions.js';

export interface UiRequest extends Given {
  /** Of the projects whose runs are shown; absolute. */
  readonly projectDirs: readonly string[];
  /** 0 for any that is free. */
  readonly port: number;
}

export interface OpenUi {
  /** With the token. */
  readonly url: string;
  readonly port: number;
  /** Runs that were started go on. */
  close(): Promise<void>;
}

type Listener = Parameters<typeof createServer>[1];

/** Connections at once; a browser opens six. */
const MAX_CONNECTIONS = 128;

/** Throws `input.invalid` for a port that cannot be had. */
export async function openUi({ projectDirs, port: wanted, ...given }: UiRequest): Promise<OpenUi> {
  const { getRequestListener } = await import('@hono/node-server');
  let listener: Listener = (_, response) => response.writeHead(503).end();
  const answer: Listener = (request, response) => listener?.(request, response);
  const server = await listening(answer, '127.0.0.1', wanted);
  const { port } = server.address() as AddressInfo;
  // `localhost` may mean either; a machine without the second has none to lose.
  const second = await listening(answer, '::1', port).catch(() => undefined);
  const servers = [server, ...(second ? [second] : [])];

  const door = createDoor(port);
  const pulse = createPulse();
  const house = createHouse({ door, pulse, given, known: knownRuns(projectDirs) });
  const app = await createApp(house);
  listener = getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: `127.0.0.1:${port}` });
  return {
    url: `http://127.0.0.1:${port}${door.entrance}`,
    port,
    async close() {
      pulse.close();
      await Promise.all(servers.map(closed));
    },
  };
}

async function listening(answer: Listener, host: string, port: number): Promise<Server> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, answer);
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Fault('input.invalid', `The port ${port} of ${host} cannot be had: ${error.code ?? error.message}.`, {
          hint: 'Name another with --port, or none: then any free one is taken.',
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  return server;
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
