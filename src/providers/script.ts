/**
 * A model that answers from a file: `--model script:<file>`, JSON or YAML.
 *
 * A list of turns, which every agent gets from its beginning; or turns by agent:
 *
 *     agents:
 *       - match: You plan the essay        # part of the agent's instructions or of its prompt; the first that matches counts
 *         turns:
 *           - calls: [{ name: read_file, arguments: { path: notes.md } }]
 *           - error: { code: provider.overloaded, message: busy, retry_after_ms: 10 }
 *           - calls: [{ name: resolve, arguments: { title: Seven } }]
 *       - turns:                            # without `match`: every other agent
 *           - text: Hello
 *
 * Or turns by step, as in a test: `turns: { outline: [{ resolve: … }] }`, or that mapping alone.
 *
 * A turn: `text`, `reasoning`, `calls` (`arguments` is an object, or a string that is sent as it is), or `resolve` with the arguments of a
 * call of `resolve`, which is the text of the answer where that is asked for as one JSON text; `finish` (stop, calls, length, refusal),
 * `usage` ({ input, output, cached, cache_written } tokens), `delay_ms`, or `error` in place of an answer.
 * Which turn it is follows from the conversation alone: as many answers as it holds have been given, so a resumed agent goes on where it was.
 * An error is given once in the life of a process, before the answer that follows it.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parse } from 'yaml';
import { Fault } from '../core/faults.js';
import { isObject, type Json, type JsonObject, sha256 } from '../core/json.js';
import type { ModelRequest, Provider } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { closest, STEP_PATTERN, type StepPattern } from '../core/step-pattern.js';
import { notRegular } from './regular-file.js';
import { createTurns } from './turns.js';

const FORMAT = 'What a script holds: docs/testing.md, "Scripts".';

interface Agent {
  readonly match?: string;
  /** The steps whose agents they are. */
  readonly pattern?: StepPattern;
  readonly turns: readonly JsonObject[];
}

export function scriptProvider(file: string): Provider {
  const name = basename(file);
  const turns = createTurns(`The model script ${name}`);
  let agents: Promise<readonly Agent[]> | undefined;

  return {
    name: 'script',
    async complete(request, { signal, step = '', onDelta }) {
      signal.throwIfAborted();
      agents ??= readScript(file);
      const agent = agentFor(await agents, request, step, name);
      const conversation = sha256(JSON.stringify([agent.pattern && step, request.system, firstUserText(request)]));
      const reply = await turns.next(agent.turns, { conversation, request, signal });
      if (!reply) throw outOfTurns(name, agent, request.messages.filter(({ role }) => role === 'assistant').length);
      if (reply.reasoning) onDelta?.({ type: 'reasoning', text: reply.reasoning });
      if (reply.text !== '') onDelta?.({ type: 'text', text: reply.text });
      return reply;
    },
  };
}

/** Throws what is wrong with the file. */
export async function readScript(file: string): Promise<readonly Agent[]> {
  const value = await parseScript(file);
  const isAgents = isObject(value) && value.agents !== undefined;
  const written = isObject(value) ? (value.agents ?? value.turns ?? value) : value;
  if (isObject(written) && !isAgents) return agentsByStep(written, file);
  if (!Array.isArray(written))
    throw invalid(file, 'is neither a list of turns, nor turns by step, nor a map with "agents"');
  const agents = isAgents ? written : [{ turns: written }];
  return agents.map((agent: Json, i): Agent => {
    if (!isObject(agent) || !Array.isArray(agent.turns)) throw invalid(file, `has no list "turns" in agents[${i}]`);
    const wrong = agent.turns.findIndex((turn: Json) => !isObject(turn));
    if (wrong >= 0) throw invalid(file, `has a turn that is not a map: agents[${i}].turns[${wrong}]`);
    const turns = agent.turns as readonly JsonObject[];
    return typeof agent.match === 'string' ? { match: agent.match, turns } : { turns };
  });
}

function agentsByStep(written: JsonObject, file: string): readonly Agent[] {
  return Object.entries(written).map(([pattern, value]): Agent => {
    if (!STEP_PATTERN.test(pattern)) throw invalid(file, `has turns for "${pattern}", which names no step`);
    const turns = Array.isArray(value) ? value : [value];
    if (!turns.every((turn: Json) => isObject(turn)))
      throw invalid(file, `has a turn of "${pattern}" that is not a map`);
    return { pattern, turns: turns as readonly JsonObject[] };
  });
}

async function parseScript(file: string): Promise<unknown> {
  const special = notRegular(file);
  if (special) throw new Fault('config.invalid', `The model script ${special}.`, { hint: FORMAT });
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Fault('config.invalid', `The model script ${file} cannot be read (${error.code ?? error.message}).`, {
      hint: FORMAT,
    });
  });
  try {
    if (file.endsWith('.json')) return JSON.parse(text);
    return parse(text);
  } catch (error) {
    throw invalid(file, `cannot be parsed: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

function agentFor(agents: readonly Agent[], request: ModelRequest, step: StepPath, name: string): Agent {
  const byStep = agents.flatMap(({ pattern, turns }) => (pattern === undefined ? [] : [{ pattern, turns }]));
  if (byStep.length > 0) {
    const own = closest(byStep, step);
    if (own) return own;
    const known = byStep.map(({ pattern }) => pattern).join(', ');
    throw new Fault(
      'provider.refused',
      `The script ${name} has no turns for the step "${step}"; it has some for ${known}.`,
    );
  }
  const heard = [request.system, firstUserText(request)];
  const agent = agents.find(({ match }) => match === undefined || heard.some((text) => text.includes(match)));
  if (agent) return agent;
  const known = agents.map(({ match }) => JSON.stringify(match)).join(', ');
  throw new Fault(
    'provider.refused',
    `The script ${name} has no agent for this conversation; it knows ${known || 'none'}.`,
    {
      hint: 'Add an agent whose "match" is part of its instructions or of its prompt, or one without "match".',
    },
  );
}

function outOfTurns(name: string, { match, pattern, turns }: Agent, given: number): Fault {
  const agent = match ?? pattern;
  const whose = agent === undefined ? '' : ` for the agent ${JSON.stringify(agent)}`;
  const answers = turns.filter((turn) => turn.error === undefined).length;
  const message = `The script ${name} is out of turns${whose}: it has ${answers}, and answer ${given + 1} was asked for.`;
  return new Fault('provider.refused', message, { hint: 'Add a turn; the last one usually calls "resolve".' });
}

function firstUserText({ messages }: ModelRequest): string {
  return messages.find((message) => message.role === 'user')?.text ?? '';
}

function invalid(file: string, what: string): Fault {
  return new Fault('config.invalid', `The model script ${file} ${what}.`, { hint: FORMAT });
}
