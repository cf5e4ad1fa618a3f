/** The tool `shell`: a command of the model, in the sandbox, or under rules without any shell. */
import type { Exit, StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { everyStep, type Plan } from '../core/plan.js';
import type { Tool, ToolResult } from '../core/tool.js';
import { answering, count, failure, text } from './access.js';
import { parseToolGrant } from './registry.js';
import { allowedWords, parseRule, type RuledTool } from './rules.js';
import { shellEnvironment } from './shell-env.js';
import { forget, printed } from './shell-output.js';

const NAME = 'shell';
/** Strict bash without anybody's start-up files. */
const BASH = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'];
const DEFAULT_TIMEOUT_S = 60;
const MAX_TIMEOUT_S = 600;

const tool: Tool = {
  spec: {
    name: NAME,
    description:
      'Run a command with bash -eo pipefail in the work folder, and get its exit code and what it printed. ' +
      'Files that it leaves in the work folder stay; /tmp and the home folder are new for each command, and so are processes. ' +
      'Only the work folder can be written, only the run and the skill can be read beside the system, and there is no network, unless this pipeline permits more. ' +
      'Nobody can answer a question: pass flags such as --yes.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command line.' },
        timeout_seconds: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_TIMEOUT_S,
          description: `It is ended after this time; ${DEFAULT_TIMEOUT_S} unless given.`,
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
  },
  effect: 'process',
  execute: (args, context) =>
    perform([...BASH, text(args, 'command').replaceAll('\r\n', '\n')], count(args, 'timeout_seconds'), context),
};

export const shellTool: RuledTool = {
  ...tool,
  narrowed(written) {
    const rules = written.map(parseRule);
    const allowed = `Allowed here: ${rules.map((rule) => rule.written).join('; ')}.`;
    const how = 'One simple command at a time: words and quoted text, no pipes, no variables, no patterns.';
    return {
      ...tool,
      spec: { ...tool.spec, description: `${tool.spec.description} ${allowed} ${how}` },
      async execute(args, context) {
        const read = allowedWords(rules, text(args, 'command'));
        if ('argv' in read) return perform(read.argv, count(args, 'timeout_seconds'), context);
        return failure(NAME, `this command is not allowed: ${read.problem}. Nothing was run.`, `${allowed} ${how}`);
      },
    };
  },
};

/** Whether an agent of this plan may run commands of its own. */
export function listsShell(plan: Plan): boolean {
  return everyStep(plan.steps).some(
    ({ body }) => body.type === 'leaf' && body.inspection.tools.some((one) => parseToolGrant(one)?.name === NAME),
  );
}

function perform(argv: readonly string[], timeoutS: number | undefined, context: StepContext): Promise<ToolResult> {
  return answering(NAME, async () => {
    const { sandbox } = context;
    if (sandbox.type === 'none') {
      return failure(NAME, `there is no sandbox: ${sandbox.reason}. Nothing was run.`, 'Go on without commands.');
    }
    const { argv: confined, env } =
      sandbox.type === 'on' ? await sandbox.confine(argv, context) : { argv, env: {} as Record<string, string> };
    const { work, stdout: stdoutFile, stderr: stderrFile } = context.folders;
    forget(stdoutFile, stderrFile);
    const limitS = Math.min(timeoutS ?? DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S);
    const ended = await within(limitS, context, (signal) =>
      context.processes.run({
        step: context.path,
        work,
        argv: confined,
        env: shellEnvironment(context, sandbox, env),
        cwd: work,
        stdoutFile,
        stderrFile,
        signal,
      }),
    );
    const output = printed(stdoutFile, stderrFile);
    if ('fault' in ended) return failure(NAME, ended.fault.message, output);
    const { code, signal } = ended;
    if (code === 0) return { type: 'text', text: ['exit code 0', ...(output ? [output] : [])].join('\n') };
    const how = code === undefined ? `was ended by ${signal}` : `ended with exit code ${code}`;
    return failure(NAME, [`the command ${how}.${boundsOf(context)}`, output].filter(Boolean).join('\n'));
  });
}

/** Ends a command after so long; of its faults those come back that a model can act on. */
export async function within(
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

/** Why a command may have failed. */
function boundsOf({ sandbox, permissions, folders }: StepContext): string {
  if (sandbox.type !== 'on') return '';
  const writable = [folders.work, ...permissions.write].join(', ');
  return ` It ran in a sandbox: ${permissions.network ? '' : 'no network, '}writable: ${writable}.`;
}
