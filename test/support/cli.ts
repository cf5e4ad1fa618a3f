/** The built command line as a person runs it: real processes in a project of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Recorded } from '../../src/core/events.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** `node scripts/build.mjs` makes it; another is tried where one is named. */
export const CLI = process.env.PIPELINE_TEST_CLI ?? join(ROOT, 'dist/cli.js');
export const FIXTURES = join(ROOT, 'test/fixtures');
export const BUNDLED_SKILLS = join(ROOT, 'skills');

type Environment = Readonly<Record<string, string>>;

/** Takes what is to be done when a test, or all of a file, is over. */
export type AtEnd = (clean: () => void) => void;

export interface Ran {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

export interface Workspace {
  /** Absolute; a project, because it has a `skills` folder. */
  readonly dir: string;
  /** What children see besides PATH and an empty home; no model is configured and none is looked for. */
  pipeline(args: readonly string[], env?: Environment): Promise<Ran>;
  start(args: readonly string[], env?: Environment): Started;
  /** A bash line in which `pipeline` is the built program. */
  bash(line: string): Promise<Ran>;
  write(path: string, content: string): void;
  read(path: string): string;
  has(path: string): boolean;
  edit(path: string, from: string, to: string): void;
  /** The journal of the run `<skill>/<slug>`; what is not yet whole is left out. */
  events(run: string): Recorded[];
}

/**
 * @param fixture a folder of test/fixtures/pipelines whose files it begins with
 * @param atEnd when its files are removed; concurrent tests pass their own
 */
export function workspace(fixture?: string, atEnd: AtEnd = onTestFinished): Workspace {
  const base = mkdtempSync(join(tmpdir(), 'pipeline-e2e-'));
  atEnd(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const dir = join(base, 'project');
  const home = join(base, 'home');
  if (fixture !== undefined) cpSync(join(FIXTURES, 'pipelines', fixture), dir, { recursive: true });
  mkdirSync(join(dir, 'skills'), { recursive: true });
  mkdirSync(home);
  const environment = (own: Environment = {}) => ({ PATH: process.env.PATH ?? '', HOME: home, ...own });
  const read = (path: string) => readFileSync(join(dir, path), 'utf8');
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  const start = (args: readonly string[], env?: Environment): Started => {
    const [command = '', ...rest] = args;
    const all = ['run', 'resume', 'fork'].includes(command) ? [command, '--no-detect', ...rest] : args;
    const child = spawn(process.execPath, [CLI, ...all], {
      cwd: dir,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, ended: endOf(child) };
  };
  return {
    dir,
    start,
    pipeline: (args, env) => start(args, env).ended,
    bash(line) {
      const script = `pipeline() { "${process.execPath}" "${CLI}" "$@"; }\n${line}`;
      return endOf(spawn('bash', ['-c', script], { cwd: dir, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] }));
    },
    read,
    write,
    has: (path) => existsSync(join(dir, path)),
    edit(path, from, to) {
      const text = read(path);
      if (!text.includes(from)) throw new Error(`${path} does not hold ${JSON.stringify(from)}`);
      writeFileSync(join(dir, path), text.replace(from, to));
    },
    events: (run) => eventsIn(join(dir, 'skill_run', run, 'events.ndjson')),
  };
}

async function endOf(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

function eventsIn(journal: string): Recorded[] {
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Recorded);
}

const POLL_MS = 5;
const PATIENCE_MS = 60_000;

/** Looks again and again until it sees something; throws when it has not for a minute. */
export async function seen<T>(look: () => T | undefined | false): Promise<T> {
  for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; ) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await sleep(POLL_MS);
  }
  throw new Error(`never seen: ${look}`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // One that has ended and was not yet waited for is still listed.
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return !/\) Z /.test(stat);
}

/** What `diff -r` says about two run folders; '' when what they publish is the same. */
export function difference(one: string, other: string): string {
  const own = ['run.json', 'events.ndjson', 'report.html', '.steps', '.lock', 'pipeline.log'].flatMap((name) => [
    '-x',
    name,
  ]);
  const ran = spawnSync('diff', ['-r', ...own, one, other], { encoding: 'utf8' });
  if (ran.status === 0 || ran.status === 1) return ran.stdout;
  throw new Error(ran.stderr);
}
