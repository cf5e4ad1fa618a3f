/** The tool `run_shell_command`: in the sandbox; outside of it only a command that a person has approved, each anew. */
import type { Sandbox, StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Tool, ToolResult } from '../core/tool.js';
import { answering, count, failure, text } from '../tools/access.js';
import { performCommand } from '../tools/perform-command.js';

const NAME = 'run_shell_command';
const DEFAULT_TIMEOUT_S = 10;
const MAX_TIMEOUT_S = 600;
const OFF: Sandbox = { type: 'off' };

export const shellCommandTool: Tool = {
  spec: {
    name: NAME,
    description:
      'Run a command line with sh -c in the project folder, and get its exit code and what it printed. It runs in a sandbox: it may read the system, ' +
      'read and write the project, but not the runs in skill_run, and there is no network; /tmp is new for each command. ' +
      'A command that needs more has outside_sandbox: true: the person is asked, and may say no.',
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
        outside_sandbox: { type: 'boolean', description: 'Ask the person to let it run without the sandbox.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
  },
  effect: 'process',
  execute: (args, context) =>
    answering(NAME, async () => {
      const command = text(args, 'command').replaceAll('\r\n', '\n');
      const way = await wayFor(command, args.outside_sandbox === true, context);
      if ('no' in way) return failure(NAME, `${way.no} Nothing was run.`);
      return perform(way, Math.min(count(args, 'timeout_seconds') ?? DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S), context);
    }),
};

interface Way {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
}

/** How the command is run, or why it is not. */
async function wayFor(
  command: string,
  wantsOutside: boolean,
  context: StepContext,
): Promise<Way | { readonly no: string }> {
  const { sandbox } = context;
  const free: Way = { argv: ['sh', '-c', command], env: {}, sandbox: OFF };
  if (sandbox.type === 'off') return free;
  const why = wantsOutside
    ? 'the model asks for more than the sandbox gives'
    : sandbox.type === 'none'
      ? `there is no sandbox: ${sandbox.reason}`
      : undefined;
  if (why !== undefined) return (await approves(command, why, context)) ?? free;
  try {
    return await confined(command, context);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return (await approves(command, `the sandbox refuses it: ${error.message}`, context)) ?? free;
  }
}

async function confined(command: string, context: StepContext): Promise<Way> {
  const { sandbox, folders } = context;
  if (sandbox.type !== 'on') throw new Error('no sandbox is on');
  // It begins in its own folder, where a sandbox lets it write; what it is for is the project.
  const inProject = ['sh', '-c', 'cd -- "$1" && exec sh -c "$2"', 'sh', folders.project, command];
  const { argv, env } = await sandbox.confine(inProject, inSandbox(context));
  return { argv, env, sandbox };
}

/** Undefined for yes. */
async function approves(
  command: string,
  why: string,
  context: StepContext,
): Promise<{ readonly no: string } | undefined> {
  if (!context.ask) return { no: `${why}, and nobody is at a terminal to approve the command.` };
  const question = {
    path: context.path,
    title: 'Run this command without a sandbox, with all your rights?',
    ask: `${command}\n\nWhy you are asked: ${why}.`,
    choices: ['no', 'run it once'],
  };
  const { choice, comment } = await context.ask(question, context.signal);
  if (choice === 'run it once') return undefined;
  return { no: `the person did not approve this command${comment === '' ? '' : ` and says: ${comment}`}.` };
}

function perform({ argv, env, sandbox }: Way, limitS: number, context: StepContext): Promise<ToolResult> {
  const { work, project } = context.folders;
  const isOn = sandbox.type === 'on';
  const bounds = isOn ? ' It ran in a sandbox: no network, and only the project can be written.' : '';
  const command = { tool: NAME, argv, env, sandbox, cwd: isOn ? work : project, limitS, bounds };
  return performCommand(command, inSandbox(context));
}

function inSandbox(context: StepContext): StepContext {
  const { permissions, folders } = context;
  return { ...context, permissions: { ...permissions, write: [folders.project] } };
}
