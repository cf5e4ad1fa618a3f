/** Which names no skill may read, write or publish, whatever was granted. */
import { basename, sep } from 'node:path';

const SECRET_FOLDERS = new Set(['.ssh', '.aws', '.gnupg', '.kube', '.azure']);
const SECRET_FILES = new Set(['.npmrc', '.netrc', '.pypirc', '.git-credentials', '.pgpass', '.htpasswd']);
const KEY_FILE = /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$|\.(pem|key|p12|pfx|ppk|keystore|jks)$/;
const KERNEL = /^\/(proc|sys|dev)(\/|$)/;
const OURS = new Set(['events.ndjson', 'run.json', 'report.html']);

/** In a work folder: the full texts of what an agent's tools gave. Kept with the step, never published. */
export const RESULTS = '.results';

/** Longest name and path that every file system we know takes. */
const NAME_BYTES = 255;
const PATH_BYTES = 4_000;

/** Why this text is no path of ours, or undefined. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'the path is empty';
  if (path.includes('\0')) return 'the path holds a NUL character';
  if (path.includes('\\')) return 'the path holds a backslash; folders are separated by /';
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return 'this is a URL, not a path';
  if (/^~[^/]*(\/|$)/.test(path)) return 'the path begins with ~, which is not expanded';
  if (Buffer.byteLength(path) > PATH_BYTES) return `the path is longer than ${PATH_BYTES} bytes`;
  if (path.split('/').some((name) => Buffer.byteLength(name) > NAME_BYTES)) {
    return `a name in the path is longer than ${NAME_BYTES} bytes`;
  }
  return undefined;
}

/** Why nobody may read this absolute path, or undefined. Names are compared without case, as some file systems do. */
export function secretProblem(path: string): string | undefined {
  if (KERNEL.test(path)) return 'it belongs to the system, not to the project';
  const names = path.toLowerCase().split(sep);
  const last = names.at(-1) ?? '';
  const folder = names.find((name) => SECRET_FOLDERS.has(name));
  if (folder) return `files in ${folder} may hold secrets`;
  if (last.startsWith('.env') || names.includes('.env')) return '.env files may hold secrets';
  if (SECRET_FILES.has(last)) return `${last} may hold secrets`;
  if (KEY_FILE.test(last)) return `${last} may be a private key`;
  if (last === 'config' && names.includes('.git')) return '.git/config may hold secrets';
  if (last === 'config.json' && names.at(-2) === '.docker') return '.docker/config.json may hold secrets';
  return undefined;
}

/** Why nobody may write this absolute path, or undefined. */
export function protectedProblem(path: string): string | undefined {
  if (path.toLowerCase().split(sep).includes('.git')) return 'git runs what is written there';
  return secretProblem(path);
}

/** Why this path relative to the run folder may not be published, or undefined: a forged journal would forge a resume. */
export function publishProblem(path: string): string | undefined {
  const problem = pathProblem(path);
  if (problem) return problem;
  const names = path.split('/');
  if (path.startsWith('/') || names.includes('..')) return 'it leads out of the run folder';
  const dotted = names.find((name) => name.startsWith('.') && name !== '.');
  if (dotted) return `${dotted} begins with a dot`;
  const first = names.find((name) => name !== '' && name !== '.');
  if (first === undefined) return 'it names the run folder itself';
  if (OURS.has(first.toLowerCase())) return `${basename(first)} is a file of the run itself`;
  return undefined;
}
