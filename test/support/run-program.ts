/** Runs of pipelines in a process of their own, built from the sources: for signals, kills, limits of the system. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Json } from '../../src/core/json.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Report {
  readonly status?: string;
  /** The code of the fault that it threw or ended with. */
  readonly code?: string;
  readonly message: string;
  readonly notices: readonly string[];
}

export interface RunProgram {
  /**
   * Runs `pipeline.yaml` of a folder.
   * @param wrap the command line that starts it; `ulimit` and the like; as it is, unless given
   */
  start(dir: string, more?: { readonly resume?: boolean; readonly query?: string }, wrap?: Wrap): Running;
  remove(): void;
}
export type Wrap = (argv: readonly string[]) => readonly string[];

export interface Running {
  readonly child: ChildProcess;
  /** `report` is undefined if it was killed before it could say anything. */
  readonly ended: Promise<{ code: number | null; signal: string | null; report: Report | undefined; stderr: string }>;
}

const PROGRAM = `
  import { stopOnSignals } from './src/cli/signals.ts';
  import { FAULTS, toFault } from './src/core/faults.ts';
  import { runPipeline } from './src/run.ts';
  const { dir, ...more } = JSON.parse(process.argv[2]);
  const { signal, kill } = stopOnSignals();
  const notices = [];
  const sinks = [{ write: (event) => event.type === 'notice' && notices.push(event.text) }];
  const env = { PATH: process.env.PATH, HOME: dir };
  const said = await runPipeline({
    target: './pipeline.yaml', query: 'a query', cwd: dir, env, model: 'sketch', detect: false, sinks, signal, kill, ...more,
  }).catch(toFault);
  const code = said.fault?.code ?? said.code;
  const message = said.message ?? JSON.stringify(said.problems);
  process.stdout.write(JSON.stringify({ status: said.status, code, message, notices }));
  process.exitCode = said.exit ?? FAULTS[said.code].exit;`;

export async function runProgram(): Promise<RunProgram> {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-program-'));
  chmodSync(dir, 0o755);
  const file = join(dir, 'program.mjs');
  await build({
    stdin: { contents: PROGRAM, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    define: { PIPELINE_VERSION: '"test"' },
    outfile: file,
    logLevel: 'error',
  });
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  return {
    start(cwd, more = {}, wrap = (argv) => argv) {
      const request: Json = { dir: cwd, ...more };
      const [program = '', ...args] = wrap([process.execPath, file, JSON.stringify(request)]);
      const child = spawn(program, args, {
        cwd,
        env: { PATH: process.env.PATH, HOME: cwd },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      return { child, ended: endOf(child) };
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function endOf(child: ChildProcess): Running['ended'] {
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
    child.once('close', (code, signal) => {
      resolve({ code, signal, stderr, report: stdout === '' ? undefined : (JSON.parse(stdout) as Report) });
    });
  });
}
