/** A model in the hands of the adversary: each turn is chosen by its place in the conversation, whatever happened around it. */
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Json, JsonObject, JsonSchema } from '../core/json.js';
import type { ModelReply, ModelRequest, Models, Provider, ToolCall, Usage } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { answerTokens, requestTokens } from '../core/token-estimate.js';
import { createBreaker } from '../providers/breaker.js';
import { guarded } from '../providers/guarded.js';
import { type Accepting, acceptedValue } from './accepted.js';
import type { Choices, Draw } from './choices.js';
import type { Time } from './time.js';
import { breakValue, drawValue, NO_POOL, type Pool } from './values.js';

/** What a model did, as a test writes it down. */
export type ModelAct =
  | {
      readonly type: 'turn';
      readonly path: StepPath;
      readonly attempt: number;
      readonly round: number;
      readonly turn: JsonObject;
    }
  | {
      readonly type: 'fault';
      readonly path: StepPath;
      readonly attempt: number;
      readonly round: number;
      readonly code: string;
    };

export interface Adversary {
  readonly choices: Choices;
  readonly time: Time;
  /** Of the step's present attempt, from 1. */
  attemptOf(path: StepPath): number;
  acceptingAt(path: StepPath): Omit<Accepting, 'unwrap'>;
  /** Distinguishes requests where the pipeline may change between sessions. */
  saltOf(asked: string): string;
  told(act: ModelAct): void;
  /** A call begins that has at least so many tokens. */
  calling(path: StepPath, tokens: number): void;
  used(path: StepPath, usage: Usage | undefined): void;
}

const DELAYS_MS = [20, 1, 5, 80, 300, 1_000];
const MOST_FAULTS = 6;

const TURNS = [
  'accepted',
  'allowed',
  'invalid',
  'text',
  'calls',
  'unknown tool',
  'repeated',
  'cut off',
  'refusal',
  'no JSON',
  'twice',
  'nothing',
] as const;

const FAULTS = [
  'overloaded',
  'unreachable',
  'protocol',
  'silent',
  'refused',
  'exhausted',
  'never',
  'later',
  'charged',
] as const;

export function adversaryModels(adversary: Adversary): Models {
  const breaker = createBreaker(adversary.time.clock);
  const provider = guarded(adversaryProvider(adversary), breaker, undefined);
  return {
    async pick(name) {
      return {
        provider,
        model: name,
        label: `simulated/${name}`,
        host: '',
        parameters: {},
        placeholder: false,
        sees: true,
        price: async () => PRICE,
      };
    },
  };
}

/** US dollars: a million tokens in, a million out. */
const PRICE = (usage: Usage) => (usage.inputTokens + 4 * usage.outputTokens) / 1_000_000;

function adversaryProvider(adversary: Adversary): Provider {
  const { choices, time } = adversary;
  /** Faults given so far in this session, by place. */
  const given = new Map<string, number>();
  return {
    name: 'simulated',
    async complete(request, { signal, step = '', onAnswer }) {
      signal.throwIfAborted();
      adversary.calling(step, requestTokens(request) + answerTokens(request));
      const { attempt, round, place } = placeOf(request, step, adversary);
      const faults = faultsAt(choices.at(`${place}!`));
      const count = given.get(place) ?? 0;
      const draw = choices.at(place);
      const delayMs = DELAYS_MS[draw.pick('delay', DELAYS_MS.length)] ?? 0;
      const fault = faults[count];
      if (fault !== undefined) {
        given.set(place, count + 1);
        adversary.told({ type: 'fault', path: step, attempt, round, code: CODES[fault] });
        if (fault === 'charged') onAnswer?.();
        await (fault === 'never' ? time.after(NEVER_MS, signal) : time.after(delayMs, signal));
        throw faultOf(fault);
      }
      await time.after(delayMs, signal);
      onAnswer?.();
      const mood = choices.at(`${step}@${attempt}~`).rarely(0.03, TURNS.length);
      const stem = `c.${stepCode(step)}.${attempt}.${round}`;
      const reply = await replyOf(request, draw, mood, stem, step, adversary);
      adversary.used(step, reply.usage);
      adversary.told({ type: 'turn', path: step, attempt, round, turn: writtenTurn(reply, request) });
      return reply;
    },
  };
}

/** Longer than any timeout. */
const NEVER_MS = 30 * 24 * 3_600_000;

const CODES = {
  overloaded: 'provider.overloaded',
  unreachable: 'provider.unreachable',
  protocol: 'provider.protocol',
  silent: 'provider.silent',
  refused: 'provider.refused',
  exhausted: 'provider.exhausted',
  never: 'step.timeout',
  later: 'provider.overloaded',
  charged: 'provider.protocol',
} as const;

function faultOf(fault: (typeof FAULTS)[number]): Fault {
  const more = fault === 'later' ? { retryAfterMs: 20_000 } : fault === 'charged' ? { answered: true as const } : {};
  return new Fault(CODES[fault], `the simulated service says: ${fault}`, more);
}

function faultsAt(draw: Draw): (typeof FAULTS)[number][] {
  const count = draw.pick('fault', MOST_FAULTS);
  return Array.from({ length: count }, () => FAULTS[draw.rarely(0.7, FAULTS.length)] ?? 'overloaded');
}

/** A conversation that is taken up says itself which attempt it is of: the ids of its calls hold it. */
function placeOf(request: ModelRequest, step: StepPath, adversary: Adversary) {
  const said = request.messages.filter((message) => message.role === 'assistant');
  const marks = said.flatMap(({ calls, text }) => [
    ...calls.map(({ id }) => /^c\.\w+\.(\d+)\./.exec(id)),
    /\[a(\d+)\]/.exec(text),
  ]);
  const mark = marks.findLast((one) => one !== null);
  const attempt = mark ? Number(mark[1]) : adversary.attemptOf(step);
  const round = said.length + 1;
  const salt = adversary.saltOf(`${request.system}\n${JSON.stringify(request.messages[0] ?? null)}`);
  return { attempt, round, place: `${step}@${attempt}.${round}${salt}` };
}

function stepCode(path: string): string {
  return path.replace(/\W/g, '_');
}

async function replyOf(
  request: ModelRequest,
  draw: Draw,
  mood: number,
  stem: string,
  path: StepPath,
  adversary: Adversary,
): Promise<ModelReply> {
  const drawn = draw.pick('model', TURNS.length);
  const kind = TURNS[drawn === 0 ? mood : drawn] ?? 'accepted';
  const usage = usageOf(draw);
  const resolve = request.tools.find(({ name }) => name === 'resolve');
  const others = request.tools.filter(({ name }) => name !== 'resolve');
  const schema: JsonSchema = request.format?.schema ?? resolve?.parameters ?? true;
  const accepted = () => {
    const accepting = adversary.acceptingAt(path);
    return acceptedValue(schema, draw, { ...accepting, unwrap: unwrapped(schema, accepting.context) });
  };
  const mark = `[a${stem.split('.')[2]}]`;
  const call = (name: string, args: string, n = 0): ToolCall => ({ id: `${stem}.${n}`, name, arguments: args });
  const says = (text: string, calls: readonly ToolCall[], finish: ModelReply['finish']): ModelReply => ({
    text,
    calls,
    finish,
    ...(usage ? { usage } : {}),
  });
  const answers = (value: Json): ModelReply =>
    request.format
      ? says(JSON.stringify(value), [], 'stop')
      : says('', [call('resolve', JSON.stringify(value))], 'calls');
  switch (kind) {
    case 'accepted':
      return answers(await accepted());
    case 'allowed':
      return answers(drawValue(schema, draw, adversary.acceptingAt(path).pool));
    case 'invalid':
      return answers(breakValue(drawValue(schema, draw, adversary.acceptingAt(path).pool), draw));
    case 'text':
      return says(`I would say that it is done. ${mark}`, [], 'stop');
    case 'calls':
    case 'repeated': {
      if (others.length === 0) return says(`There is nothing to call. ${mark}`, [], 'stop');
      const count = kind === 'calls' ? 1 + draw.rarely(0.3, 4) : 1;
      const calls = Array.from({ length: count }, (_, n) => {
        const tool = others[kind === 'calls' ? draw.rarely(0.6, others.length) : 0];
        const args = kind === 'calls' ? drawValue(tool?.parameters, draw, PATHS) : { path: 'the-same.md' };
        return call(tool?.name ?? '', JSON.stringify(args), n);
      });
      return says('', calls, 'calls');
    }
    case 'unknown tool':
      return says('', [call('launch_missiles', '{"at":"dawn"}')], 'calls');
    case 'cut off':
      return says(mark, [call('resolve', '{"cut')], 'length');
    case 'refusal':
      return says(`I cannot help with that. ${mark}`, [], 'refusal');
    case 'no JSON':
      return says('', [call('resolve', '{"a": ')], 'calls');
    case 'twice': {
      const value = JSON.stringify(await accepted());
      return says('', [call('resolve', value, 0), call('resolve', value, 1)], 'calls');
    }
    case 'nothing':
      return says('', [], 'stop');
  }
}

const PATHS: Pool = { ...NO_POOL, texts: ['notes.md', 'a/b.txt', '../outside.md', '.', 'prompt.md'] };

/** The tool's parameters wrap what is no object. */
function unwrapped(schema: JsonSchema, context: StepContext | undefined): (value: Json) => Json {
  const own = context?.step.output?.json;
  const isWrapped = typeof schema === 'object' && own !== schema && typeof own === 'object' && own.type !== 'object';
  return (value) =>
    isWrapped && typeof value === 'object' && value !== null && 'result' in value
      ? ((value as JsonObject).result ?? null)
      : value;
}

const PLAIN_USAGE: Usage = { inputTokens: 200, outputTokens: 40, cachedTokens: 0 };

function usageOf(draw: Draw): Usage | undefined {
  const all: (Usage | undefined)[] = [
    PLAIN_USAGE,
    undefined,
    { inputTokens: 1_500, outputTokens: 700, cachedTokens: 0 },
    { inputTokens: 30_000, outputTokens: 9_000, cachedTokens: 0 },
    { inputTokens: 5_000_000, outputTokens: 1, cachedTokens: 0 },
    { inputTokens: -4, outputTokens: Number.NaN, cachedTokens: 0 },
  ];
  return all[draw.rarely(0.08, all.length)];
}

/** As `turns` of a test. */
function writtenTurn({ text, calls, finish, usage }: ModelReply, request: ModelRequest): JsonObject {
  const isAnswer = calls.length === 1 && calls[0]?.name === 'resolve' && finish === 'calls';
  const parsed = isAnswer ? jsonOf(calls[0]?.arguments ?? '') : request.format ? jsonOf(text) : undefined;
  const counts = usage && Number.isSafeInteger(usage.inputTokens + usage.outputTokens) && usage.inputTokens > 0;
  return {
    ...(parsed !== undefined
      ? { resolve: parsed }
      : {
          ...(text === '' ? {} : { text: text.replace(/ ?\[a\d+\]/, '') }),
          ...(calls.length > 0
            ? { calls: calls.map((call) => ({ name: call.name, arguments: jsonOf(call.arguments) ?? call.arguments })) }
            : {}),
          ...(finish === 'stop' || finish === 'calls' ? {} : { finish }),
        }),
    ...(counts && usage.inputTokens !== PLAIN_USAGE.inputTokens
      ? { usage: { input: usage.inputTokens, output: usage.outputTokens } }
      : {}),
  };
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
