/** A model in the hands of the adversary: each turn is chosen by its place in the conversation, whatever happened around it. */
import type { JsonObject } from '../../core/json.js';
import type { ModelRequest, Models, Provider, Usage } from '../../core/model.js';
import type { StepPath } from '../../core/outcome.js';
import { answerTokens, requestTokens } from '../../core/token-estimate.js';
import { createBreaker } from '../../providers/breaker.js';
import { guarded } from '../../providers/guarded.js';
import type { Choices } from '../choices/choices.js';
import { NEVER_MS } from '../moments.js';
import type { Accepting } from '../values/accepted.js';
import { writtenIn } from './artifact-files.js';
import { CODES, faultOf, faultsAt } from './model-faults.js';
import { replyOf, TURNS } from './model-reply.js';
import type { Time } from './time.js';
import { writtenTurn } from './written-turn.js';

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
      const reply = await replyOf(request, draw, mood, stem, () => adversary.acceptingAt(step));
      adversary.used(step, reply.usage);
      adversary.told({ type: 'turn', path: step, attempt, round, turn: writtenTurn(reply, request) });
      return reply;
    },
  };
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
  return { attempt, round, place: `${step}@${attempt}.${round - writtenIn(request.messages).undone}${salt}` };
}

function stepCode(path: string): string {
  return path.replace(/\W/g, '_');
}
