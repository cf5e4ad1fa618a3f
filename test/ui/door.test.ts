import { describe, expect, it } from 'vitest';
import { createDoor, type Visit } from '../../src/ui/door.js';

const PORT = 4321;
const HOST = `127.0.0.1:${PORT}`;

/** A request of a page of the session; `undefined` takes a header away. */
function entered() {
  const door = createDoor(PORT);
  const token = door.entrance.slice('/?token='.length);
  const visit = (more: Partial<Visit> = {}) =>
    door.judge({
      method: 'GET',
      path: door.room,
      token: undefined,
      host: HOST,
      addressed: more.host ?? HOST,
      origin: undefined,
      site: undefined,
      cookies: undefined,
      ...more,
    });
  const enter = visit({ path: '/', token });
  if (enter.type !== 'enter') throw new Error('the token was refused');
  const cookies = enter.cookie.split(';')[0] ?? '';
  const status = (more: Partial<Visit>) => {
    const judged = visit({ cookies, ...more });
    return judged.type === 'refused' ? judged.status : judged.type;
  };
  return { door, token, enter, cookies, status };
}

describe('the door', () => {
  it('has another token, cookie, room and form key each time', () => {
    const [one, other] = [entered(), entered()];
    const secrets = [one, other].flatMap(({ door, token, cookies }) => [token, cookies, door.room, door.formKey]);
    expect(new Set(secrets).size).toBe(8);
    for (const secret of secrets) expect(secret).toMatch(/[0-9a-f]{24}/);
  });

  it('lets in by the token at the entrance alone, and by the cookie in the room alone', () => {
    const { door, token, cookies, status } = entered();
    expect(status({})).toBe('in');
    expect(status({ path: `${door.room}runs/0/a/b/` })).toBe('in');
    expect(status({ cookies: `a=1; ${cookies}; b=2` })).toBe('in');
    expect(status({ cookies: `${cookies}0` })).toBe(401);
    expect(status({ cookies: `x${cookies}` })).toBe(401);
    expect(status({ cookies: undefined })).toBe(401);
    expect(status({ path: '/' })).toBe(401);
    expect(status({ path: door.room.slice(0, -1) })).toBe(401);
    expect(status({ cookies: undefined, token })).toBe(401);
    expect(status({ cookies: undefined, path: '/', token })).toBe('enter');
    expect(status({ cookies: undefined, path: '/', token: `${token}0` })).toBe(401);
    expect(status({ cookies: undefined, path: '/', token: token.toUpperCase() })).toBe(401);
    expect(status({ cookies: undefined, path: '/', token, method: 'POST' })).toBe(403);
    expect(status({ cookies: `pipeline_ui_${PORT}=${token}` })).toBe(401);
  });

  it('opens from any site, since the token is what counts, but not to a script of one', () => {
    const { token, status } = entered();
    const outside = { cookies: undefined, path: '/', token };
    for (const site of ['none', 'cross-site', 'same-site', 'same-origin'])
      expect(status({ ...outside, site })).toBe('enter');
    expect(status({ ...outside, origin: 'http://evil.example' })).toBe(403);
  });

  it('takes what changes something from its own pages alone', () => {
    const { status } = entered();
    const post = { method: 'POST', origin: `http://${HOST}` };
    expect(status(post)).toBe('in');
    expect(status({ ...post, site: 'same-origin' })).toBe('in');
    expect(status({ ...post, origin: undefined })).toBe(403);
    expect(status({ ...post, origin: undefined, site: 'same-origin' })).toBe(403);
    expect(status({ ...post, origin: 'null' })).toBe(403);
    expect(status({ ...post, origin: 'null', site: 'same-origin' })).toBe('in');
    for (const site of ['none', 'same-site', 'cross-site', 'other']) expect(status({ ...post, site })).toBe(403);
    for (const origin of [
      'http://evil.example',
      `https://${HOST}`,
      `http://localhost:${PORT}`,
      `http://${HOST}.evil.example`,
    ]) {
      expect(status({ ...post, origin })).toBe(403);
    }
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) expect(status({ method })).toBe(403);
  });

  it('shows nothing to other pages', () => {
    const { status } = entered();
    expect(status({ site: 'none' })).toBe('in');
    expect(status({ site: 'same-origin' })).toBe('in');
    for (const site of ['same-site', 'cross-site']) expect(status({ site })).toBe(403);
    expect(status({ origin: 'http://evil.example' })).toBe(403);
  });

  it('knows this machine by its own names and its own port', () => {
    const { status } = entered();
    for (const host of [HOST, `localhost:${PORT}`, `[::1]:${PORT}`]) expect(status({ host })).toBe('in');
    for (const host of ['127.0.0.1', 'localhost', `evil.example:${PORT}`, `127.0.0.1:${PORT}0`, `127.1:${PORT}`, '']) {
      expect(status({ host })).toBe(403);
    }
    expect(status({ host: undefined })).toBe(403);
    expect(status({ addressed: 'evil.example' })).toBe(403);
    expect(status({ host: 'evil.example', addressed: HOST })).toBe(403);
  });

  it('knows the key of its forms', () => {
    const { door } = entered();
    expect(door.isFormKey(door.formKey)).toBe(true);
    expect(door.isFormKey('')).toBe(false);
    expect(door.isFormKey(entered().door.formKey)).toBe(false);
  });
});
