/** Performs one command of a model within its time, and says what became of it as the model gets it. */
import type { Exit, Sandbox, StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { ToolResult } from '../core/tool.js';
import { failure } from './access.js';
import { shellEnvironment } from './shell-env.js';
import { forget, printed } from './shell-output.js';

export interface ModelCommand {
  /** Of the tool, for what is said to the model. */
  readonly tool: string;
  /** As it is started, its confinement around it; what that adds to the environment. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What stands around it: this one command may be let out. */
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly limitS: number;
  /** Why it may have failed; '' or a sentence with a blank before it. */
  readonly bounds: string;
}

export async function performCommand(command: ModelCommand, context: StepContext): Promise<ToolResult> {
  const { tool, argv, env, sandbox, cwd, limitS, bounds } = command;
  const { work, stdout: stdoutFile, stderr: stderrFile } = context.folders;
  forget(stdoutFile, stderrFile);
  const ended = await within(limitS, context, (signal) =>
    context.processes.run({
      step: context.path,
      work,
      argv,
      env: shellEnvironment(context, sandbox, env),
      cwd,
      stdoutFile,
      stderrFile,
      signal,
    }),
  );
  const output = printed(stdoutFile, stderrFile);
  if ('fault' in ended) return failure(tool, ended.fault.message, output);
  const { code, signal } = ended;
  if (code === 0) return { type: 'text', text: ['exit code 0', ...(output ? [output] : [])].join('\n') };
  const how = code === undefined ? `was ended by ${signal}` : `ended with exit code ${code}`;
  return failure(tool, [`the command ${how}.${bounds}`, output].filter(Boolean).join('\n'));
}

/** Ends a command after so long; of its faults those come back that a model can act on. */
async function within(
  limitS: number,
  { clock, signal }: StepContext,
  run: (signal: AbortSignal) => Promise<Exit>,
): Promise<Exit | { readonly fault: Fault }> {
  const [done, late] = [new AbortController(), new AbortController()];
  const fault = new Fault('step.timeout', `the command was ended after ${limitS} s.`);
  clock.sleep(limitS * 1_000, done.signal).then(
    () => late.abort(fault),
    () => undefined,
  );
  try {
    return await run(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (error === fault) return { fault };
    if (error instanceof Fault && error.data.code === 'shell.missing') return { fault: error };
    throw error;
  } finally {
    done.abort();
  }
}
