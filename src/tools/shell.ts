/** The tool `shell`: a command of the model, in the sandbox, or under rules without any shell. */

import type { StepContext } from '../core/context.js';
import { everyStep, type Plan } from '../core/plan.js';
import { STRICT_BASH } from '../core/strict-bash.js';
import type { Tool, ToolResult } from '../core/tool.js';
import { answering, count, failure, text } from './access.js';
import { performCommand } from './perform-command.js';
import { parseToolGrant } from './registry.js';
import { allowedWords, parseRule, type RuledTool } from './rules.js';

const NAME = 'shell';
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
    perform([...STRICT_BASH, text(args, 'command').replaceAll('\r\n', '\n')], count(args, 'timeout_seconds'), context),
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
    const limitS = Math.min(timeoutS ?? DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S);
    const command = { tool: NAME, argv: confined, env, sandbox, cwd: context.folders.work, limitS };
    return performCommand({ ...command, bounds: boundsOf(context) }, context);
  });
}

/** Why a command may have failed. */
function boundsOf({ sandbox, permissions, folders }: StepContext): string {
  if (sandbox.type !== 'on') return '';
  const writable = [folders.work, ...permissions.write].join(', ');
  return ` It ran in a sandbox: ${permissions.network ? '' : 'no network, '}writable: ${writable}.`;
}
