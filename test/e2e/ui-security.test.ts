import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Workspace, workspace } from '../support/cli.js';
import { type UiSession, uiSession } from '../support/ui-session.js';

const PIPELINE = `version: 1
name: files
steps:
  - id: write
    shell: { command: [bash, -c, 'printf "<script>alert(1)</script>" > page.html; printf "\\\\x89PNG\\\\r\\\\n\\\\x1a\\\\n" > dot.png; ln -s /etc/passwd leak'] }
`;

let place: Workspace;
let ui: UiSession;
const ends: (() => void)[] = [];

beforeAll(async () => {
  place = workspace(undefined, (clean) => ends.push(clean));
  place.write('pipeline.yaml', PIPELINE);
  expect(await place.pipeline(['run', 'pipeline.yaml', 'one'])).toMatchObject({ code: 0 });
  place.write('skill_run/files/one/hidden.txt', 'version: 1');
  ui = await uiSession(place, (clean) => ends.push(clean));
});
afterAll(() => {
  for (const end of ends.reverse()) end();
});

const RUN = 'runs/0/files/one/';

describe('pipeline ui', () => {
  it('prints one address with the token on stdout, and nothing else there', () => {
    expect(ui.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{64}$/);
    expect(ui.said()).toBe('Runs of this project, for this machine only. Ctrl-C ends these pages; runs go on.\n');
  });

  it('takes the token for a cookie that no script reads, no other site sends and no other path gets', async () => {
    const { status, headers, text } = await ui.raw({ path: `/?token=${ui.token}` });
    expect(status).toBe(200);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^pipeline_ui_${ui.port}=[0-9a-f]{64}; Path=${ui.room}; HttpOnly; SameSite=Strict$`),
      ),
    ]);
    expect(headers['set-cookie']?.[0]).not.toContain(ui.token);
    expect(ui.room).toMatch(/^\/[0-9a-f]{24}\/$/);
    expect(text).not.toContain(ui.token);
  });

  it('refuses whoever has no token, with what to do', async () => {
    const cases = [
      { path: '/' },
      { path: ui.room },
      { path: `${ui.room}${RUN}` },
      { path: `${ui.room}ui.js` },
      { path: `${ui.room}.events` },
      { path: `/?token=${'0'.repeat(64)}` },
      { path: `/?token=` },
      { path: `${ui.room}?token=${ui.token}` },
      { path: ui.room, headers: { cookie: `pipeline_ui_${ui.port}=${'0'.repeat(64)}` } },
      { path: ui.room, headers: { cookie: `pipeline_ui_${ui.port}=${ui.token}` } },
      { path: '/elsewhere/', headers: { cookie: ui.cookie } },
      { method: 'POST', path: `${ui.room}${RUN}.stop`, headers: { origin: `http://127.0.0.1:${ui.port}` } },
      { method: 'OPTIONS', path: ui.room, headers: { origin: `http://127.0.0.1:${ui.port}` } },
    ];
    for (const asked of cases) {
      const { status, text, headers } = await ui.raw(asked);
      expect({ ...asked, status, text }).toMatchObject({ status: 401, text: expect.stringContaining('pipeline ui') });
      expect(headers['set-cookie']).toBeUndefined();
      expect(text).not.toContain(ui.room);
    }
  });

  it('refuses a request that another page has made, whatever it has', async () => {
    const { cookie } = ui;
    const cases: readonly Readonly<Record<string, string>>[] = [
      { cookie, origin: 'http://evil.example' },
      { cookie, origin: `http://127.0.0.1:${ui.port + 1}` },
      { cookie, origin: `https://127.0.0.1:${ui.port}` },
      { cookie, origin: `http://localhost:${ui.port}` },
      { cookie, origin: 'null' },
      { cookie, 'sec-fetch-site': 'cross-site' },
      { cookie, 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.example' },
    ];
    for (const headers of cases) {
      for (const path of ['', RUN, '.events', `${RUN}.events`, `${RUN}page.html`]) {
        const { status, text } = await ui.raw({ path: `${ui.room}${path}`, headers });
        expect({ headers, path, status, text }).toMatchObject({
          status: 403,
          text: expect.stringContaining('another page'),
        });
      }
    }
    expect((await ui.raw({ path: `/?token=${ui.token}`, headers: { origin: 'http://evil.example' } })).status).toBe(
      403,
    );
  });

  it('changes nothing without the origin, the cookie and the key of its own form', async () => {
    const key = await ui.formKey();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const own = { cookie: ui.cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const origin = `http://127.0.0.1:${ui.port}`;
    const path = `${ui.room}${RUN}.stop`;
    const post = async (headers: Readonly<Record<string, string>>, body: string) =>
      (await ui.raw({ method: 'POST', path, headers, body })).status;
    expect(await post(own, `key=${key}`)).toBe(403);
    expect(await post({ ...own, origin: 'null' }, `key=${key}`)).toBe(403);
    expect(await post({ ...own, origin: 'null', 'sec-fetch-site': 'cross-site' }, `key=${key}`)).toBe(403);
    expect(await post({ ...own, origin, 'sec-fetch-site': 'none' }, `key=${key}`)).toBe(403);
    expect(await post({ ...own, origin }, '')).toBe(403);
    expect(await post({ ...own, origin }, `key=${'0'.repeat(64)}`)).toBe(403);
    expect(await post({ ...own, origin, 'content-type': 'text/plain' }, `key=${key}`)).toBe(422);
    expect(await post({ ...own, origin }, `key=${key}`)).toBe(303);
    expect(await post({ ...own, origin: 'null', 'sec-fetch-site': 'same-origin' }, `key=${key}`)).toBe(303);
  });

  it('is nothing for another host name, so that no name can be led here', async () => {
    const { port, cookie } = ui;
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.2:${port}`,
    ]) {
      for (const path of [ui.room, `/?token=${ui.token}`]) {
        const { status, text, headers } = await ui.raw({ path, headers: { host, cookie } });
        expect({ host, path, status }).toEqual({ host, path, status: 403 });
        expect(text).toContain('this machine only');
        expect(headers['set-cookie']).toBeUndefined();
      }
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect((await ui.raw({ path: ui.room, headers: { host, cookie } })).status).toBe(200);
    }
    for (const [named, host] of [
      ['evil.example', `127.0.0.1:${port}`],
      [`127.0.0.1:${port}`, 'evil.example'],
    ]) {
      const { status } = await ui.raw({ path: `http://${named}${ui.room}`, headers: { host: host ?? '', cookie } });
      expect({ named, status }).toEqual({ named, status: 403 });
    }
  });

  it('listens on this machine alone', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    const addresses = ['127.0.0.2', ...outside.map(({ address }) => address)];
    for (const address of addresses) {
      const reached = await new Promise<string>((resolve) => {
        const socket = connect({ host: address, port: ui.port });
        socket.once('connect', () => resolve('connected')).once('error', () => resolve('refused'));
        socket.once('connect', () => socket.destroy());
      });
      expect({ address, reached }).toEqual({ address, reached: 'refused' });
    }
  });

  it('tells the browser what no page of it may do', async () => {
    const strict = {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
    };
    const answers = {
      entrance: await ui.raw({ path: `/?token=${ui.token}` }),
      refusal: await ui.raw({ path: '/' }),
      list: await ui.get(''),
      run: await ui.get(RUN),
      form: await ui.get('start/0/hello'),
      script: await ui.get('ui.js'),
      events: await ui.get('.events'),
      news: await ui.get('', { accept: 'application/json' }),
      file: await ui.get(`${RUN}page.html`),
      missing: await ui.get('nothing'),
    };
    for (const [name, { headers }] of Object.entries(answers)) {
      expect({ name, ...headers }).toMatchObject({ name, ...strict });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers['access-control-allow-origin']).toBeUndefined();
      if (name === 'file') continue;
      expect(policy).toContain("base-uri 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).toContain("connect-src 'self'");
    }
    expect(answers.events.text).toContain('event: state');
    expect(answers.missing.status).toBe(404);
    expect(answers.missing.text).toContain('<h1>Not here</h1>');
  });

  it('gives files that a run has published, never as a page', async () => {
    const page = await ui.get(`${RUN}page.html`);
    expect(page).toMatchObject({
      status: 200,
      text: '<script>alert(1)</script>',
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': "attachment; filename*=UTF-8''page.html",
      },
    });
    expect(page.headers['content-security-policy']).toContain('sandbox');
    const picture = await ui.get(`${RUN}dot.png`);
    expect(picture).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
    expect(picture.headers['content-security-policy']).toContain('sandbox');
  });

  it('gives nothing else of a run, and nothing of what is around it', async () => {
    const paths = [
      `${RUN}hidden.txt`,
      `${RUN}leak`,
      `${RUN}events.ndjson`,
      `${RUN}.lock`,
      `${RUN}.steps/write/stdout.log`,
      `${RUN}../one/page.html%00`,
      `${RUN}..%2f..%2f..%2fpipeline.yaml`,
      `${RUN}%2e%2e/%2e%2e/%2e%2e/pipeline.yaml`,
      `${RUN}%2fetc%2fpasswd`,
      'runs/0/files/..%2ffiles%2fone/',
      'runs/0/..%2f/x/',
      'runs/0/files/latest/',
      'runs/0/%2e%2e/one/',
      'runs/1/files/one/',
      'runs/-1/files/one/',
      'runs/0x0/files/one/',
      'start/0/..%2f..%2fpipeline.yaml',
      'start/0/pipeline.yaml',
      'start/1/hello',
    ];
    for (const path of paths) {
      const { status, text } = await ui.get(path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(text).not.toContain('root:');
      expect(text).not.toContain('version: 1');
    }
  });

  it('takes no form that is too large', async () => {
    const key = await ui.formKey();
    const answer = await ui.post('start/0/hello', { key, more: 'x'.repeat(2_000_000) }).catch(() => ({ status: 422 }));
    expect(answer.status).toBe(422);
    expect(place.has('skill_run/hello')).toBe(false);
  });

  it('answers the same to HEAD without a body, and knows no other method', async () => {
    const own = { cookie: ui.cookie, origin: `http://127.0.0.1:${ui.port}` };
    expect(await ui.raw({ method: 'HEAD', path: ui.room, headers: own })).toMatchObject({ status: 200, text: '' });
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      expect((await ui.raw({ method, path: ui.room, headers: own })).status).toBe(404);
    }
  });
});
