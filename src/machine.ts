/** What this machine offers, tried for real: programs, a sandbox, a desktop that opens files. */
import { randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Sandbox } from './core/context.js';
import { Fault } from './core/faults.js';
import type { Plan } from './core/plan.js';
import { startOwnSession } from './process/own-session.js';
import { createProcesses } from './process/run.js';
import { detectSandbox, findProgram } from './sandbox/detect.js';
import { listsShell } from './tools/shell.js';

type Environment = Readonly<Record<string, string | undefined>>;

const PATIENCE_MS = 10_000;

export function sandboxHere(env: Environment): Promise<Sandbox> {
  return detectSandbox({ platform: process.platform, env, processes: processesHere() });
}

/** The first line that `<name> --version` prints; '' if it cannot be run; undefined if there is no such program. */
export async function programVersion(name: string, env: Environment): Promise<string | undefined> {
  const program = findProgram(name, env);
  if (!program) return undefined;
  const work = mkdtempSync(join(tmpdir(), 'pipeline-doctor-'));
  try {
    const { code, stdout } = await processesHere().run({
      step: '',
      work,
      argv: [program, '--version'],
      env: { PATH: env.PATH ?? '', LC_ALL: 'C' },
      cwd: work,
      stdoutFile: join(work, 'stdout.log'),
      stderrFile: join(work, 'stderr.log'),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return code === 0 ? (new TextDecoder().decode(stdout).split('\n')[0] ?? '').trim() : '';
  } catch (error) {
    if (error instanceof Fault) return '';
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export type Opened = { readonly type: 'opened' } | { readonly type: 'no'; readonly reason: string };

export type Opener =
  | { readonly type: 'program'; readonly path: string }
  | { readonly type: 'no'; readonly reason: string };

/** The program that the desktop opens files with. */
export function openerHere(env: Environment, platform = process.platform): Opener {
  const name = OPENERS[platform] ?? 'xdg-open';
  if (name === 'xdg-open' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return { type: 'no', reason: 'there is no display' };
  const path = findProgram(name, env);
  return path ? { type: 'program', path } : { type: 'no', reason: `${name} is not installed` };
}

/** Gives a file to it. @param file absolute */
export async function openOnDesktop(file: string, env: Environment): Promise<Opened> {
  const opener = openerHere(env);
  if (opener.type === 'no') return opener;
  const nowhere = openSync('/dev/null', 'w');
  const seen = new AbortController();
  try {
    const argv = [opener.path, file] as const;
    const { ended } = await startOwnSession({ argv, cwd: dirname(file), env, stdout: nowhere, stderr: nowhere });
    // One that is still there has found what shows it.
    const late = wait(OPENING_MS, undefined, { signal: seen.signal }).catch(() => undefined);
    const early = await Promise.race([ended, late]);
    return !early || early.code === 0 ? { type: 'opened' } : { type: 'no', reason: `${basename(opener.path)} failed` };
  } catch (error) {
    if (error instanceof Fault) return { type: 'no', reason: error.message };
    throw error;
  } finally {
    seen.abort();
    closeSync(nowhere);
  }
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };
/** An opener that finds nothing to open with says so at once. */
const OPENING_MS = 1_000;

/** Said in the first lines of a run. */
export const SANDBOX_OFF =
  'THE SANDBOX IS OFF: commands that a model writes can read, change and send whatever you can.';

/**
 * The sandbox of a run. Nothing is tried where no agent may run commands.
 * Throws `config.unsafe` where one may, and there is no sandbox; a placeholder of a model writes no commands.
 */
export async function sandboxFor(
  plan: Plan,
  asked: { readonly sandbox: 'auto' | 'off'; readonly env: Environment; readonly placeholder: boolean },
): Promise<Sandbox> {
  if (!listsShell(plan)) return { type: 'none', reason: 'no agent of this pipeline lists the tool shell', hint: '' };
  if (asked.sandbox === 'off') return { type: 'off' };
  const sandbox = await sandboxHere(asked.env);
  if (sandbox.type !== 'none' || asked.placeholder) return sandbox;
  throw new Fault(
    'config.unsafe',
    `An agent of this pipeline may run commands of its own (tools: shell), and there is no sandbox for them: ${sandbox.reason}.`,
    {
      hint: `${sandbox.hint} Or, if you trust the model and all that it reads: --sandbox off, or sandbox: off in pipeline.config.yaml.`,
    },
  );
}

function processesHere() {
  return createProcesses({ marker: randomUUID() });
}
