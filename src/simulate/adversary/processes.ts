/** Processes that are never started: what each prints, leaves and comes to is the adversary's. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { isText } from '../../agent/answer-form.js';
import type { Command, Exit, Processes, StepContext } from '../../core/context.js';
import type { Json } from '../../core/json.js';
import type { StepPath } from '../../core/outcome.js';
import type { Choices, Draw } from '../choices/choices.js';
import { NEVER_MS } from '../moments.js';
import { type Accepting, acceptedValue } from '../values/accepted.js';
import { breakValue } from '../values/broken-value.js';
import { drawValue } from '../values/values.js';
import { artifactFiles } from './artifact-files.js';
import type { Time } from './time.js';

export interface ProcessAct {
  readonly path: StepPath;
  readonly attempt: number;
  readonly stdout: Json;
  readonly stderr: string;
  readonly exit: number;
  readonly files: Readonly<Record<string, string>>;
  /** It never ended by itself. */
  readonly hangs: boolean;
}

export interface ProcessWorld {
  readonly choices: Choices;
  readonly time: Time;
  attemptOf(path: StepPath): number;
  acceptingAt(path: StepPath): Omit<Accepting, 'unwrap'>;
  saltOf(asked: string): string;
  told(act: ProcessAct): void;
  starting(command: Command): void;
}

const WAYS = [
  'well',
  'allowed',
  'exit 1',
  'no JSON',
  'invalid',
  'exit 2',
  'hangs',
  'nothing',
  'killed',
  'no files',
  'no UTF-8',
  'more files',
] as const;
const DELAYS_MS = [30, 1, 10, 100, 500];

export function adversaryProcesses(world: ProcessWorld): Processes {
  const { choices, time } = world;
  /** Commands of a model's own, by place. */
  const calls = new Map<string, number>();
  return {
    async run(command) {
      const { step: path, signal } = command;
      signal.throwIfAborted();
      world.starting(command);
      const attempt = world.attemptOf(path);
      const context = world.acceptingAt(path).context;
      const isAgent = context?.step.body.type === 'leaf' && context.step.body.kind.name === 'agent';
      const salt = world.saltOf(`${command.argv.join(' ')}\n${command.stdin ?? ''}`);
      const stem = `${path}#${attempt}${salt}`;
      const count = isAgent ? (calls.get(stem) ?? 0) + 1 : 0;
      calls.set(stem, count);
      const place = isAgent ? `${stem}.${count}` : stem;
      const draw = choices.at(place);
      const way = WAYS[draw.pick('process', WAYS.length)] ?? 'well';
      const delayMs = DELAYS_MS[draw.pick('delay', DELAYS_MS.length)] ?? 0;
      const output = isAgent ? 'done' : await outputFor(way, draw, context, world, path);
      const stdout = way === 'no JSON' ? '{"half": ' : way === 'nothing' ? '' : textOf(output, context);
      const exit = way === 'exit 1' ? 1 : way === 'exit 2' ? 2 : way === 'killed' ? 137 : 0;
      const stderr = exit === 0 ? '' : 'it did not work\n';
      const files = way === 'no files' ? {} : filesOf(context, way === 'more files');
      world.told({ path, attempt, stdout: written(stdout, output), stderr, exit, files, hangs: way === 'hangs' });
      await time.after(way === 'hangs' ? NEVER_MS : delayMs, signal);
      leave(command, stdout, stderr, files);
      const bytes = way === 'no UTF-8' ? Buffer.from([0xff, 0xfe, 0x41]) : Buffer.from(stdout);
      return exitOf(way === 'killed' ? undefined : exit, bytes, stderr);
    },
  };
}

function exitOf(code: number | undefined, stdout: Uint8Array, stderrTail: string): Exit {
  return { code, signal: code === undefined ? 'SIGKILL' : undefined, stdout, stderrTail, truncated: false };
}

async function outputFor(
  way: (typeof WAYS)[number],
  draw: Draw,
  context: StepContext | undefined,
  world: ProcessWorld,
  path: StepPath,
): Promise<Json> {
  const schema = context?.step.output?.json ?? { type: 'string' };
  const accepting = world.acceptingAt(path);
  if (way === 'invalid') return breakValue(drawValue(schema, draw, accepting.pool), draw);
  if (way !== 'well') return drawValue(schema, draw, accepting.pool);
  return acceptedValue(schema, draw, { ...accepting, unwrap: (one) => one });
}

function textOf(output: Json, context: StepContext | undefined): string {
  const schema = context?.step.output?.json;
  return isText(schema) && typeof output === 'string' ? `${output}\n` : `${JSON.stringify(output)}\n`;
}

function written(stdout: string, output: Json): Json {
  return stdout === `${JSON.stringify(output)}\n` && typeof output === 'object' ? output : stdout;
}

function filesOf(context: StepContext | undefined, more: boolean): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of artifactFiles(context?.step)) files[name] = `of ${context?.path}\n`;
  if (more) files['left-behind.txt'] = `of ${context?.path}\n`;
  return files;
}

function leave(
  { work, stdoutFile, stderrFile }: Command,
  stdout: string,
  stderr: string,
  files: Readonly<Record<string, string>>,
): void {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(work, name)), { recursive: true });
    fs.writeFileSync(join(work, name), text);
  }
  if (stdout !== '') fs.writeFileSync(stdoutFile, stdout);
  if (stderr !== '') fs.writeFileSync(stderrFile, stderr);
}
