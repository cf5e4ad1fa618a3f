/** What this machine offers to runs, tried for real: programs, a sandbox. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from './core/context.js';
import { Fault } from './core/faults.js';
import type { Plan } from './core/plan.js';
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
