/** A process: a bash script or an argument list; its output is text, or JSON where a schema asks for more than a string. */

import fs from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { isText } from '../agent/answer-form.js';
import type { Exit, StepContext } from '../core/context.js';
import { notJson } from '../core/excerpt.js';
import { Fault } from '../core/faults.js';
import { type Json, type JsonObject, parseJson } from '../core/json.js';
import type { Inspection, KindResult, StepKind } from '../core/kind.js';
import { STRICT_BASH } from '../core/strict-bash.js';
import { isReallyWithin } from '../files/real-path.js';
import { childEnvironment } from './child-env.js';
import { decode, runStepProcess, stdoutOf, tooLong, withoutLastNewline } from './process.js';

interface ShellConfig extends JsonObject {
  readonly run?: string;
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, Json>>;
  readonly stdin?: Json;
  readonly files?: readonly string[];
  readonly cwd?: string;
}

/** Of `$PIPELINE_OUTPUT`; standard output has the same bound. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export const shell: StepKind = {
  name: 'shell',
  schema: {
    type: 'object',
    description:
      'A process. Its output is its standard output: text without the last newline, or JSON if `output` asks for more than a string.',
    properties: {
      run: {
        type: 'string',
        description:
          'A bash script, run with -eo pipefail. It holds no ${{ }}: values reach it by env, stdin or files.',
      },
      command: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'Program and arguments, each as it is: no shell. Items may hold ${{ }}.',
      },
      env: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] },
        description: 'Environment variables; what is not text is given as JSON.',
      },
      stdin: { description: 'Text, or any value, given as JSON on standard input.' },
      files: {
        type: 'array',
        items: { type: 'string' },
        description: "Files of the run folder that it reads; they count in the step's key.",
      },
      cwd: {
        type: 'string',
        description: "Where it runs; the step's work folder unless set, e.g. ${{ project.dir }}.",
      },
    },
    additionalProperties: false,
  },
  verbatim: ['run'],
  textFiles: [],
  timeoutMs: 10 * 60_000,
  output: 'optional',
  fence: false,
  inspect(config, look): Inspection {
    const { run, command } = config as ShellConfig;
    if (run === undefined && command === undefined) {
      look.problem(
        [],
        'a shell step needs `run` or `command`',
        'Write run: with a bash script, or command: with a list.',
      );
    }
    if (run !== undefined && command !== undefined) {
      look.problem(['command'], '`run` and `command` exclude each other', 'Keep one of the two.');
    }
    return { files: [], tools: [], models: [], maxCalls: 0, startsProcess: true };
  },
  async run(config, context): Promise<KindResult> {
    const { run, command, env = {}, stdin, cwd } = config as ShellConfig;
    const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, textOf(value)]));
    const child = childEnvironment(context, own);
    if (fs.lstatSync(child.outputFile, { throwIfNoEntry: false })) fs.rmSync(child.outputFile, { recursive: true });
    const exit = await runStepProcess(
      {
        argv: command ? command.map(String) : [...STRICT_BASH, withoutCarriageReturns(run ?? '')],
        env: child.env,
        cwd: workingFolder(cwd, context),
        stdin: stdin === undefined ? undefined : textOf(stdin),
        isTaken: () => !fs.existsSync(child.outputFile),
      },
      context,
    );
    return { type: 'output', value: outputOf(exit, child.outputFile, context) };
  },
};

/** `cwd` reaches out of the run only as far as the plan's permissions do. */
function workingFolder(cwd: string | undefined, context: StepContext): string {
  const { folders, permissions } = context;
  if (cwd === undefined) return folders.work;
  const target = isAbsolute(cwd) ? resolve(cwd) : resolve(folders.work, cwd);
  const roots = [folders.work, folders.run, folders.skill, ...permissions.read, ...permissions.write];
  const inside = roots.some((root) => isReallyWithin(root, target));
  if (!inside) {
    throw new Fault('run.forbidden', `cwd ${target} is not permitted`, {
      hint: 'Add the folder to permissions.read (to look) or permissions.write (to change), e.g. permissions: { read: ["."] }',
    });
  }
  return target;
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}

/** A script written on Windows means the same. */
function withoutCarriageReturns(script: string): string {
  return script.replaceAll('\r\n', '\n');
}

/** The file, if it was written, else standard output; strict JSON if the schema asks for more than a string. */
function outputOf(exit: Exit, outputFile: string, { step, redact }: StepContext): Json {
  const text = writtenTo(outputFile) ?? stdoutOf(exit);
  if (isText(step.output?.json)) return withoutLastNewline(text);
  try {
    return parseJson(text);
  } catch (error) {
    const why = notJson(error, text, redact);
    throw new Fault('shell.output', `the output is not JSON, which the schema asks for: ${why}`, {
      hint: 'Print only the JSON to standard output (logs to standard error), or write it to "$PIPELINE_OUTPUT".',
    });
  }
}

function writtenTo(outputFile: string): string | undefined {
  const written = fs.lstatSync(outputFile, { throwIfNoEntry: false });
  if (!written) return undefined;
  if (!written.isFile()) throw new Fault('shell.output', '$PIPELINE_OUTPUT is not a regular file');
  if (written.size > MAX_OUTPUT_BYTES) throw tooLong('$PIPELINE_OUTPUT');
  return decode(fs.readFileSync(outputFile));
}
