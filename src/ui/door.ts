/** Who may come in: decides over each request by what browsers and programs tell of themselves. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a request tells of where it comes from. */
export interface Visit {
  readonly method: string;
  readonly path: string;
  /** Of the address. */
  readonly token: string | undefined;
  /** The header. */
  readonly host: string | undefined;
  /** Of the address that is asked for: of a request that names it as a whole, this may be another one. */
  readonly addressed: string;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, which no page can set. */
  readonly site: string | undefined;
  readonly cookies: string | undefined;
}

export type Judged =
  | { readonly type: 'in' }
  /** The address had the token: a cookie takes its place. */
  | { readonly type: 'enter'; readonly cookie: string; readonly to: string }
  | { readonly type: 'refused'; readonly status: 401 | 403; readonly why: string };

export interface Door {
  /** Beginning of every path inside, with `/` at both ends. */
  readonly room: string;
  /** Path with the token, for the person at the terminal. */
  readonly entrance: string;
  /** Stands in every form of ours. */
  readonly formKey: string;
  judge(visit: Visit): Judged;
  isFormKey(text: string): boolean;
}

const REMEDY =
  'This page opens with the address that `pipeline ui` printed, its token included. Look at the terminal where it runs, or start it anew: pipeline ui';

/**
 * Cookies know no ports: a browser would send ours to any server on this machine, another person's too. So ours holds only below a path
 * that nobody can guess, the room.
 * @param port that is listened on
 */
export function createDoor(port: number): Door {
  const [token, pass, formKey] = [secret(), secret(), secret()];
  const room = `/${randomBytes(12).toString('hex')}/`;
  const cookieName = `pipeline_ui_${port}`;
  const hosts = hostsOf(port);
  return {
    room,
    entrance: `/?token=${token}`,
    formKey,
    isFormKey: (text) => isSame(text, formKey),
    judge({ method, path, token: given, host, addressed, origin, site, cookies }) {
      if (host === undefined || ![host, addressed].every((one) => hosts.includes(one.toLowerCase()))) {
        return refused(403, `There is nothing for the host "${host ?? ''}": this is a page of this machine only.`);
      }
      if (path === '/' && method === 'GET' && given !== undefined && origin === undefined) {
        if (!isSame(given, token)) return refused(401, `The token is not that of this session. ${REMEDY}`);
        return { type: 'enter', cookie: `${cookieName}=${pass}; Path=${room}; HttpOnly; SameSite=Strict`, to: room };
      }
      if (isForeign({ method, host, origin, site })) {
        return refused(403, 'The request comes from another page: only the pages of this session may ask.');
      }
      const passes = cookiesIn(cookies).filter(([name]) => name === cookieName);
      if (!path.startsWith(room) || !passes.some(([, value]) => isSame(value, pass))) return refused(401, REMEDY);
      return { type: 'in' };
    },
  };
}

/**
 * A browser says of each request which site it comes from, and of each that changes something which origin. Under `no-referrer` the origin
 * of a form is `null`, also of our own: then the site decides.
 */
function isForeign({ method, host, origin, site }: Pick<Visit, 'method' | 'origin' | 'site'> & { host: string }) {
  const reads = method === 'GET' || method === 'HEAD';
  if (site !== undefined && site !== 'same-origin' && !(reads && site === 'none')) return true;
  if (origin === undefined) return !reads;
  if (origin === 'null') return site !== 'same-origin';
  return origin.toLowerCase() !== `http://${host.toLowerCase()}`;
}

function hostsOf(port: number): string[] {
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  return names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
}

function cookiesIn(header = ''): [string, string][] {
  return header.split(';').flatMap((pair): [string, string][] => {
    const cut = pair.indexOf('=');
    return cut < 0 ? [] : [[pair.slice(0, cut).trim(), pair.slice(cut + 1).trim()]];
  });
}

function refused(status: 401 | 403, why: string): Judged {
  return { type: 'refused', status, why };
}

function secret(): string {
  return randomBytes(32).toString('hex');
}

/** In a time that tells nothing of where they differ. */
function isSame(given: string, known: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(known));
}
