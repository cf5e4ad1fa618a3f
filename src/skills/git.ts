/** A git repository as a tree of files: fetched without a checkout, so that nothing in it can be run or followed. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kill } from 'node:process';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import type { GitSource } from './source.js';
import { type LeftOut, MAX_ENTRIES, type SourceFile, type SourceTree, strangePath, tooMany } from './tree.js';

const TIMEOUT_MS = 2 * 60_000;
const LOOK_MS = 200;
const MAX_REPOSITORY_BYTES = 200 * 1024 * 1024;
const MAX_LISTING_BYTES = 20 * 1024 * 1024;

/** Whatever git's configuration of this person says otherwise. */
const SAFE = [
  'protocol.allow=never',
  'protocol.https.allow=always',
  'protocol.ssh.allow=always',
  'protocol.file.allow=always',
  'protocol.ext.allow=never',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
].flatMap((setting) => ['-c', setting]);

/** What of the environment reaches git: no key of a model provider, nothing that names another repository. */
const PASSED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'SSH_AUTH_SOCK',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'GIT_CONFIG_GLOBAL',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
];

export interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly maxRepositoryBytes?: number;
}

interface Blob extends SourceFile {
  readonly oid: string;
}

export async function gitTree(source: GitSource, around: Around): Promise<SourceTree> {
  const dir = mkdtempSync(path.join(tmpdir(), 'pipeline-git-'));
  const close = () => rmSync(dir, { recursive: true, force: true });
  try {
    const repository = path.join(dir, 'repository');
    const ref = source.ref === undefined ? [] : ['--branch', source.ref];
    const shallow = ['--bare', '--depth', '1', '--single-branch', '--no-tags', '--template='];
    await git(['clone', '--quiet', ...shallow, ...ref, '--', source.url, repository], { ...around, watched: dir });
    const inside = (args: readonly string[], input?: string) =>
      git([`--git-dir=${repository}`, ...args], { ...around, ...(input === undefined ? {} : { input }) });
    const commit = text(await inside(['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
    const listed = listing(text(await inside(['ls-tree', '-r', '-l', '-z', '--full-tree', commit])), source.source);
    return {
      ...listed,
      commit,
      close,
      async read(files) {
        const oids = files.map(({ path: name }) => listed.files.find((blob) => blob.path === name)?.oid);
        return blobsOf(await inside(['cat-file', '--batch'], `${oids.join('\n')}\n`), files.length);
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Lines of `ls-tree -l -z`: `<mode> <type> <oid> <bytes>\t<path>`. */
function listing(
  lines: string,
  where: string,
): { readonly files: readonly Blob[]; readonly leftOut: readonly LeftOut[] } {
  const files: Blob[] = [];
  const leftOut: LeftOut[] = [];
  const entries = lines.split('\0').filter(Boolean);
  if (entries.length > MAX_ENTRIES) throw tooMany(where);
  for (const entry of entries) {
    const [, mode = '', type, oid = '', bytes = '', name = ''] = /^(\d+) (\w+) (\w+) +(\S+)\t(.*)$/s.exec(entry) ?? [];
    const kind = mode === '120000' ? 'it is a link' : type === 'blob' ? undefined : 'it is another repository';
    const why = name.includes('\uFFFD') ? 'its name is not UTF-8' : (strangePath(name) ?? kind);
    if (why === undefined) files.push({ path: name, bytes: Number(bytes), isExecutable: mode === '100755', oid });
    else leftOut.push({ path: name, why });
  }
  return { files, leftOut };
}

/** The output of `cat-file --batch`: `<oid> blob <bytes>\n<content>\n` for each. */
function blobsOf(output: Uint8Array, count: number): Uint8Array[] {
  const buffer = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const blobs: Uint8Array[] = [];
  for (let at = 0; blobs.length < count; ) {
    const end = buffer.indexOf(0x0a, at);
    const [, bytes] = /^\w+ blob (\d+)$/.exec(buffer.toString('latin1', at, end)) ?? [];
    if (end < 0 || bytes === undefined) throw new Fault('config.invalid', 'git gave something else than a file.');
    blobs.push(buffer.subarray(end + 1, end + 1 + Number(bytes)));
    at = end + 1 + Number(bytes) + 1;
  }
  return blobs;
}

interface Call extends Around {
  readonly input?: string;
  /** A folder that may not grow beyond a bound. */
  readonly watched?: string;
}

async function git(args: readonly string[], call: Call): Promise<Uint8Array> {
  const { execa } = await import('execa');
  const { env, signal, input, watched, maxRepositoryBytes = MAX_REPOSITORY_BYTES } = call;
  signal.throwIfAborted();
  const passed = Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const child = execa('git', [...SAFE, ...args], {
    cwd: tmpdir(),
    env: {
      ...passed,
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
      GCM_INTERACTIVE: 'never',
      GIT_LFS_SKIP_SMUDGE: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    },
    extendEnv: false,
    // A group of its own: what git starts ends with it.
    detached: true,
    cleanup: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: args.includes('cat-file') ? MAX_REPOSITORY_BYTES : MAX_LISTING_BYTES,
    reject: false,
  });
  let ended: unknown;
  const end = (why: unknown) => {
    ended ??= why;
    try {
      if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const stop = () => end(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const late = setTimeout(
    () => end(new Fault('input.invalid', `git took longer than ${TIMEOUT_MS / 1_000} s.`)),
    TIMEOUT_MS,
  );
  const look = setInterval(() => {
    if (watched === undefined || sizeOf(watched) <= maxRepositoryBytes) return;
    end(
      new Fault(
        'config.unsafe',
        `The repository is larger than ${Math.floor(maxRepositoryBytes / 1024 / 1024)} MB: nothing was copied.`,
      ),
    );
  }, LOOK_MS);
  const result = await child;
  clearTimeout(late);
  clearInterval(look);
  signal.removeEventListener('abort', stop);
  if (ended !== undefined) throw ended;
  if (watched !== undefined && !result.failed && sizeOf(watched) > maxRepositoryBytes) {
    throw new Fault(
      'config.unsafe',
      `The repository is larger than ${Math.floor(maxRepositoryBytes / 1024 / 1024)} MB: nothing was copied.`,
    );
  }
  if (!result.failed) return result.stdout ?? new Uint8Array();
  if (result.code === 'ENOENT') {
    throw new Fault('input.invalid', 'git is not installed.', {
      hint: 'Install it, or give a folder that has the skills.',
    });
  }
  throw new Fault('input.invalid', `git could not fetch it: ${lastWords(result.stderr)}`, {
    hint: 'Try: git ls-remote, with the same address.',
  });
}

function lastWords(stderr: Uint8Array | undefined): string {
  const lines = text(stderr ?? new Uint8Array())
    .split('\n')
    .map(plainText)
    .filter((line) => line.trim() !== '');
  return lines.slice(-3).join(' ').slice(0, 500) || 'it said nothing';
}

/** Bytes in a folder that somebody is filling. */
function sizeOf(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) return sum + sizeOf(file);
      return sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    }, 0);
  } catch {
    return 0;
  }
}
