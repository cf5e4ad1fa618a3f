/** One call without tools whose text is the answer; an answer that is not accepted is asked for once more, with the reasons. */
import type { Complaint, StepContext } from '../core/context.js';
import { beginningOf } from '../core/excerpt.js';
import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Message, ModelReply } from '../core/model.js';
import { complaintLine } from '../core/schema-complaints.js';
import type { Conversing } from './agent.js';
import { type AnswerForm, readAnswer } from './answer-form.js';
import type { GuardState } from './guards.js';
import { openRounds, refusedBy, refuseStopped, saidBy, tellUntold } from './rounds.js';
import { takeUp } from './talk.js';

/** The answer, and the one after its repair. */
export const MAX_CALLS = 2;

export interface Question extends Omit<Conversing, 'maxRounds'> {
  readonly form: AnswerForm;
  /** The last word on an answer. */
  readonly accept: (
    answer: Json,
  ) => Promise<{ readonly value: Json } | { readonly complaints: readonly Pick<Complaint, 'path' | 'message'>[] }>;
}

/** @param question its system text says what the answer must look like, too: see `answerWords` */
export async function askForAnswer(question: Question, context: StepContext): Promise<Json> {
  const { system, form } = question;
  const conversing = { ...question, maxRounds: MAX_CALLS };
  const talk = takeUp(conversing, context);
  await tellUntold(talk, context);
  if (talk.resolved) return talk.resolved.value;
  refuseStopped(talk, context);
  const format = form.type === 'json' ? { format: form.format } : {};
  const offers = { tools: [], toolChoice: 'auto' as const, ...format };
  const rounds = openRounds(talk, conversing, offers, context);
  const messages = [...talk.messages];
  let guards = talk.guards;
  try {
    for (let round = talk.rounds + 1; round <= talk.maxRounds; round++) {
      const ask = () => rounds.ask(round, { system, messages: [...messages], ...offers });
      const asking = talk.open?.round === round ? await rounds.goOn(talk.open) : await ask();
      const { reply } = asking;
      const verdict = await asking.take(() => verdictOn(reply, question, context));
      guards = countedIn(guards, reply, verdict);
      const took = [
        saidAlone(reply),
        ...(verdict.type === 'accepted' ? [] : [{ role: 'user', text: verdict.say } as const]),
      ];
      messages.push(...took);
      const declined = verdict.type === 'declined' ? refusedBy(reply) : undefined;
      await asking.settle(took, {
        round,
        guards,
        reads: [],
        ...(verdict.type === 'accepted' ? { resolved: { value: verdict.value } } : {}),
        ...(declined ? { stopped: declined.data } : {}),
      });
      if (verdict.type === 'accepted') return verdict.value;
      if (declined) throw declined;
      const { problems } = verdict;
      if (problems.length > 0) await context.emit({ type: 'answer_refused', path: context.path, round, problems });
    }
  } finally {
    await rounds.close();
  }
  throw notAccepted(guards, messages);
}

type Verdict =
  | { readonly type: 'accepted'; readonly value: Json }
  /** `say`: to the model, if it is asked again. */
  | { readonly type: 'declined' | 'cut'; readonly problems: readonly []; readonly say: string }
  | { readonly type: 'refused'; readonly problems: readonly string[]; readonly say: string };

async function verdictOn(reply: ModelReply, { form, accept }: Question, { redact }: StepContext): Promise<Verdict> {
  if (reply.finish === 'refusal') return { type: 'declined', problems: [], say: again(form) };
  if (reply.finish === 'length') {
    const say = 'Your answer was cut off at the length limit, so nothing of it was taken. Answer more briefly.';
    return { type: 'cut', problems: [], say };
  }
  const read = readAnswer(reply.text, form, redact);
  const judged = 'problem' in read ? { complaints: [{ path: '', message: read.problem }] } : await accept(read.value);
  if ('value' in judged) return { type: 'accepted', value: judged.value };
  const problems = judged.complaints.map((one) => complaintLine({ from: 'schema', ...one }));
  const lines = judged.complaints.map((one) => complaintLine({ from: 'schema', ...one, path: one.path || 'answer' }));
  const say = ['The answer was not accepted.', ...lines.map((one) => `- ${one}`), again(form)].join('\n');
  return { type: 'refused', problems, say };
}

function again(form: AnswerForm): string {
  return `Correct this, then answer again with the whole ${form.type === 'json' ? 'JSON value' : 'text'}, and no other words.`;
}

/** Calls that nobody offered are left out, with the blocks that hold them: no provider takes them back without results. */
function saidAlone({ blocks, ...reply }: ModelReply): Message {
  return saidBy({ ...reply, calls: [], ...(blocks === undefined || reply.calls.length > 0 ? {} : { blocks }) });
}

function countedIn(state: GuardState, { finish }: ModelReply, { type }: Verdict): GuardState {
  return { ...state, truncated: finish === 'length' ? state.truncated + 1 : 0, refused: type === 'refused' };
}

function notAccepted({ truncated }: GuardState, messages: readonly Message[]): Fault {
  if (truncated > 0) {
    return new Fault('agent.truncated', "the model's answer was cut off at its length limit", {
      hint: 'Raise max_tokens, or ask for a smaller answer.',
    });
  }
  const last = messages.at(-1)?.text ?? '';
  return new Fault('agent.schema', `no answer was accepted; the last one: ${beginningOf(last, 600)}`, {
    hint: 'Make the schema or the asserts easier to satisfy, say in the instructions what they ask for, or use adapter: react, which tries more often.',
  });
}
