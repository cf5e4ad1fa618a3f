/** Answers of the last day on disk, by request. */
import { createHash, randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The user's own place for what can be had again. */
export function defaultCache(env = process.env, platform = process.platform) {
  const home = env.HOME || homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'paper-search');
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'paper-search', 'cache');
  const base = env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME) ? env.XDG_CACHE_HOME : join(home, '.cache');
  return join(base, 'paper-search');
}

/** @returns the body kept for this request, undefined without one that is whole and younger than a day */
export async function recall(folder, request) {
  if (!(await isOurs(folder))) return undefined;
  try {
    const file = fileOf(folder, request);
    if ((await stat(file)).size > MAX_BYTES) return undefined;
    const entry = JSON.parse(await readFile(file, 'utf8'));
    const ageMs = Date.now() - entry.at;
    const whole = entry.request === request && typeof entry.body === 'string' && ageMs >= 0 && ageMs < DAY_MS;
    return whole ? entry.body : undefined;
  } catch {
    return undefined;
  }
}

/** A cache that cannot be written costs nothing but its use. */
export async function keep(folder, request, body) {
  if (!(await isOurs(folder))) return;
  const file = fileOf(folder, request);
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify({ at: Date.now(), request, body }), { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
    await sweep(folder);
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/**
 * Makes the folder where it is missing.
 * @returns false where it cannot be had: '', a link, somebody else's
 */
export async function isOurs(folder) {
  if (!folder) return false;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const found = await lstat(folder);
    if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false;
    if (process.platform !== 'win32' && (found.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
    return true;
  } catch {
    return false;
  }
}

/** Removes what is older than a day, drafts of a killed process too. */
async function sweep(folder) {
  for (const name of await readdir(folder)) {
    if (!/^[0-9a-f]{64}\.json/.test(name)) continue;
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > DAY_MS) await rm(join(folder, name), { force: true });
  }
}

function fileOf(folder, request) {
  return join(folder, `${createHash('sha256').update(`GET ${request}`).digest('hex')}.json`);
}
