/** What must stay hidden in folders that a command may otherwise see: secrets, sockets, other runs. */
import { existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import { publishProblem, secretProblem } from '../files/names.js';

/** What a sandbox puts in the place of something. All paths are absolute and without links. */
export interface Hidden {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Seen but never changed: git runs what is written there, and a run obeys its configuration. */
  readonly fixed: readonly string[];
}

/** A pointer to a repository, what confines commands, what a person agreed to. */
const FIXED_FILES = ['.git', 'pipeline.config.yaml', 'skills-lock.json'];

const MAX_ENTRIES = 250_000;
/** Each is a mount of its own. */
const MAX_HIDDEN = 2_000;

/**
 * Looks through the folders, following no link. Throws `step.path` where there is too much to look through.
 * @param roots absolute, without links, none inside another; a root may be a file
 * @param runs absolute: `all` and `own` are hidden wherever they are found, as is every `.steps`, and where a root lies in `all` the
 * runners' own files of these runs
 */
export async function findHidden(
  roots: readonly string[],
  runs: { readonly all: string; readonly own: string },
): Promise<Hidden> {
  const files = new Set<string>();
  const folders = new Set<string>();
  const fixed: string[] = [];
  let seen = 0;

  const look = async (folder: string): Promise<void> => {
    for (const entry of await entriesOf(folder)) {
      if (++seen > MAX_ENTRIES) throw tooMuch(roots, `over ${MAX_ENTRIES} files`);
      const path = join(folder, entry.name);
      const isSecret = secretProblem(path) !== undefined || isRunnersOwn(runs.all, path);
      if (entry.isDirectory()) {
        const name = entry.name.toLowerCase();
        if (isSecret || name === '.steps' || path === runs.all || path === runs.own || holdsKeys(name, path))
          folders.add(path);
        else {
          if (name === '.git') fixed.push(path);
          await look(path);
        }
      } else if (entry.isSymbolicLink()) {
        if (isSecret) hideTarget(path);
      } else if (isSecret || entry.isSocket()) files.add(path);
      else if (FIXED_FILES.includes(entry.name.toLowerCase())) fixed.push(path);
      if (files.size + folders.size > MAX_HIDDEN)
        throw tooMuch(roots, `over ${MAX_HIDDEN} files that may hold secrets`);
    }
  };
  /** A file that is a secret by the name of a link to it. */
  const hideTarget = (link: string) => {
    const real = realPath(link);
    if (real === undefined || !roots.some((root) => real.startsWith(`${root}/`))) return;
    files.add(real);
  };

  for (const root of roots) await look(root);
  return { files: [...files], folders: [...folders], fixed };
}

/** Nothing of a file, and of what may not be listed: the command may not list it either. */
async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The journal, the lock and the like: `<skill>/<run>/events.ndjson`. */
function isRunnersOwn(runs: string, path: string): boolean {
  if (!path.startsWith(`${runs}/`)) return false;
  const [, , name, ...more] = path.slice(runs.length + 1).split('/');
  return name !== undefined && more.length === 0 && publishProblem(name) !== undefined;
}

/** Folders whose only secret could be reached under another name if the folder could be renamed. */
function holdsKeys(name: string, path: string): boolean {
  return name === '.docker' && existsSync(join(path, 'config.json'));
}

function realPath(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return undefined;
  }
}

function tooMuch(roots: readonly string[], what: string): Fault {
  return new Fault('step.path', `${roots.join(', ')}: ${what}: too many to be looked through for secrets.`, {
    hint: 'Name smaller folders under permissions.read and permissions.write.',
  });
}
