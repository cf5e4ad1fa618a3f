/** The kind of the driver that gives a block to a sub-agent: isolated, without tools, its text the content of a file. */
import { isAbsolute, relative, sep } from 'node:path';
import { type AnswerForm, answerForm } from '../agent/answer-form.js';
import { askForAnswer, MAX_CALLS } from '../agent/one-call.js';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { type Json, type JsonObject, parseJson } from '../core/json.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { rootFor, writeInside } from '../files/folder.js';
import { heldRoot, pathOf, type Root } from '../files/held.js';
import { resolveWrite } from '../files/jail.js';
import { fileNamed, looksLikePath, withoutNote } from '../files/named.js';
import { publishProblem } from '../files/names.js';
import { briefOf, readsOf } from '../steps/agent-brief.js';
import { IDLE_TIMEOUT_MS } from '../steps/agent-config.js';
import { systemWith } from '../steps/agent-llm.js';
import { pickModel } from '../steps/agent-model.js';
import type { Block } from './block.js';
import { queriesIn } from './inject.js';
import { innerKind } from './inner-kind.js';
import { outOfDistribution } from './ood.js';
import type { Stop } from './stops.js';
import { tell } from './told.js';

export interface SubagentConfig extends JsonObject {
  readonly block: Block;
  /** From 0. */
  readonly iteration: number;
  /** Whether an answer may say that the query is none for this skill. */
  readonly ood: boolean;
}

export interface Worked extends JsonObject {
  /** Relative to the run folder; absolute elsewhere; '' where the block named no file. */
  readonly wrote: string;
  readonly bytes: number;
  /** The queries in its answer, joined by `|`; '' if it holds none. */
  readonly queries: string;
  readonly stop: Stop | null;
}

export const subagent = innerKind(
  {
    name: 'subagent',
    timeoutMs: 30 * 60_000,
    async run(config, context) {
      const { block, iteration, ood } = config as SubagentConfig;
      const target = targetOf(block, context);
      const isJson = target?.path.endsWith('.json') ?? false;
      const form = isJson && context.placeholder ? ANY_OBJECT : TEXT;
      const asked = await askedOf(block, isJson, context);
      const brief = briefOf(asked, (instructions) => systemWith(instructions, form), 'shown', context);
      const { system, prompt, images } = brief;
      const question = {
        ...(await pickModel(asked, images, context)),
        ...{ system, prompt, images, form },
        accept: async (answer: Json) => (isJson ? acceptJson(answer) : { value: answer }),
        idleTimeoutMs: IDLE_TIMEOUT_MS,
        key: context.stepKey,
        transcript: context.folders.transcript,
      };
      const text = String(await askForAnswer(question, context).finally(() => brief.written));
      if (target) write(target, text);
      const bytes = Buffer.byteLength(text);
      const wrote = target ? shown(target.path, context) : '';
      const task = block.do === '' ? block.step : block.do;
      const did = `${wrote === '' ? 'answered' : `wrote ${wrote}`} (${bytes} bytes)`;
      const said = `subagent_done: ${did} | task: ${task}`;
      await context.emit({ type: 'step_notice', path: context.path, text: did, tone: 'subject' });
      tell(context.folders.run, iteration + 1, 'work', said);
      const stop = (ood ? outOfDistribution(text) : undefined) ?? null;
      const worked: Worked = { wrote, bytes, queries: queriesIn(text) ?? '', stop };
      return { type: 'output', value: worked, reads: readsOf(brief.reads, context) };
    },
  },
  { models: ['default'], continues: true, maxCalls: MAX_CALLS },
);

const TEXT: AnswerForm = answerForm(undefined);
/** Of a placeholder model, which knows no prompt. */
const ANY_OBJECT: AnswerForm = {
  type: 'json',
  format: { name: 'answer', schema: { type: 'object' } },
  unwrap: (value) => value,
};

/** The text of a JSON file; a fence around it is left out. */
function acceptJson(
  answer: Json,
): { readonly value: Json } | { readonly complaints: readonly { path: string; message: string }[] } {
  if (typeof answer !== 'string') return { value: `${JSON.stringify(answer, null, 2)}\n` };
  const inner = /^```(?:json)?[ \t]*\r?\n([\s\S]*)\r?\n```$/i.exec(answer)?.[1] ?? answer;
  try {
    parseJson(inner);
    return { value: `${inner}\n` };
  } catch (error) {
    return { complaints: [{ path: '', message: `the file must be JSON: ${(error as Error).message}` }] };
  }
}

/** Its instructions, its task, its files. */
async function askedOf(block: Block, isJson: boolean, context: StepContext) {
  const roots = rootsOf(context);
  const files: string[] = [];
  for (const entry of block.input.flatMap((each) => each.split('\n'))) {
    const named = fileNamed(entry, roots);
    if (named.type === 'file') files.push(named.path);
    if (named.type === 'missing') throw missing('INPUT', entry);
    if (named.type === 'words' && withoutNote(entry) !== '') {
      const text = `INPUT ${JSON.stringify(entry)} is skipped: it looks like a placeholder`;
      await context.emit({ type: 'step_notice', path: context.path, text });
    }
  }
  const prompt = fileNamed(block.prompt, roots);
  if (prompt.type === 'missing') throw missing('PROMPT', block.prompt);
  const instructions =
    prompt.type === 'file' ? `Your instructions are the file ${prompt.path}, given below.` : block.prompt;
  const parts = [
    block.do === '' ? `Do what your instructions say: ${block.step}` : block.do,
    ...(block.output === ''
      ? []
      : [`Your answer is the content of: ${block.output}${isJson ? ' (one JSON value, and no other words)' : ''}`]),
    `The query of this run:\n${context.query}`,
  ];
  return {
    instructions,
    prompt: parts.join('\n\n'),
    files: [...(prompt.type === 'file' ? [prompt.path] : []), ...files],
  };
}

function missing(key: string, text: string): Fault {
  return new Fault('step.path', `${key} names a file that does not exist: ${text}`, {
    hint: 'Write the file in an earlier state, or name one of the skill or of the run folder.',
  });
}

const rootsOf = ({ folders }: StepContext) => [folders.run, folders.skill, folders.project];

interface Target {
  readonly root: Root;
  /** Absolute. */
  readonly path: string;
}

/** Where the answer goes; undefined where OUTPUT is words. Throws `step.path` where it may not go there. */
function targetOf({ output }: Block, context: StepContext): Target | undefined {
  const { folders, permissions } = context;
  const named = withoutNote(output.split('\n', 1)[0] ?? '');
  if (named === '' || !looksLikePath(named)) return undefined;
  const path = isAbsolute(named) || !named.startsWith('skill_run/') ? named : `${folders.project}/${named}`;
  const root = heldRoot(context.held, rootFor([folders.run, ...permissions.write], path));
  const real = resolveWrite(root, path);
  const published = relative(pathOf(root), real).split(sep).join('/');
  const why = pathOf(root) === folders.run ? publishProblem(published) : undefined;
  if (why)
    throw new Fault('step.path', `OUTPUT ${named} may not be written: ${why}.`, { hint: 'Choose another name.' });
  return { root, path: real };
}

function write({ root, path }: Target, text: string): void {
  const put = (target: string, mode: number | undefined) =>
    writeFileAtomic(target, text, { durable: true, mode: mode ?? 0o600 });
  writeInside(root, relative(pathOf(root), path), put, 'to stay');
}

function shown(path: string, { folders }: StepContext): string {
  const below = relative(folders.run, path);
  return below.startsWith('..') ? `${path}` : below;
}
