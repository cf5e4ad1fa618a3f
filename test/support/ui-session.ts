/** `pipeline ui` as a program, and requests to it with exactly the headers that a test writes. */
import http from 'node:http';
import type { AtEnd, Started, Workspace } from './cli.js';

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export interface Asked {
  readonly method?: string;
  /** Beginning with `/`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Another address of this machine than 127.0.0.1. */
  readonly address?: string;
}

export interface UiSession {
  /** As it was printed. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** What all paths inside begin with. */
  readonly room: string;
  /** `name=value`. */
  readonly cookie: string;
  /** What it said on stderr. */
  readonly said: () => string;
  readonly started: Started;
  /** As it stands: no header is added but `Host`, where none is given. */
  raw(asked: Asked): Promise<Answered>;
  /** As a page of the session: below the room, with its cookie, and the headers of a browser. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answered>;
  /** What stands in every form. */
  formKey(): Promise<string>;
}

export async function uiSession(
  place: Workspace,
  atEnd: AtEnd,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<UiSession> {
  const started = place.start(['ui', '--no-detect', ...args], env);
  atEnd(() => void started.child.kill('SIGKILL'));
  let said = '';
  started.child.stderr?.on('data', (text: string) => {
    said += text;
  });
  const url = await firstLine(started);
  const { port, searchParams } = new URL(url);
  const token = searchParams.get('token') ?? '';
  const raw: UiSession['raw'] = (asked) => request(Number(port), asked);
  const entered = await raw({ path: `/?token=${token}` });
  const cookie = String(entered.headers['set-cookie']?.[0]).split(';')[0] ?? '';
  const room = /url=(\/[0-9a-f]+\/)/.exec(entered.text)?.[1] ?? '';
  const own = { host: `127.0.0.1:${port}`, cookie, 'sec-fetch-site': 'same-origin' };
  const get: UiSession['get'] = (path, headers = {}) =>
    raw({ path: `${room}${path}`, headers: { ...own, ...headers } });
  return {
    url,
    port: Number(port),
    token,
    room,
    cookie,
    started,
    said: () => said,
    raw,
    get,
    post: (path, fields, headers = {}) =>
      raw({
        method: 'POST',
        path: `${room}${path}`,
        headers: {
          ...own,
          origin: `http://127.0.0.1:${port}`,
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      }),
    async formKey() {
      const { text } = await get('start/0/hello');
      return /name="key" value="([0-9a-f]+)"/.exec(text)?.[1] ?? '';
    },
  };
}

async function firstLine({ child, ended }: Started): Promise<string> {
  let text = '';
  const line = new Promise<string>((resolve) => {
    child.stdout?.on('data', (more: string) => {
      text += more;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
  });
  const early = ended.then(({ code, stderr }) => {
    throw new Error(`pipeline ui ended with ${code}: ${stderr}`);
  });
  const first = await Promise.race([line, early]);
  early.catch(() => undefined);
  return first;
}

function request(
  port: number,
  { method = 'GET', path, headers = {}, body, address = '127.0.0.1' }: Asked,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = http.request({ host: address, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        // A stream of events has no end.
        if (response.headers['content-type']?.startsWith('text/event-stream')) asked.destroy();
      });
      const whole = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      response.on('end', whole).on('error', whole);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
