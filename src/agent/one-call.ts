/** One call without tools whose text is the answer; an answer that is not accepted is asked for once more, with the reasons. */
import fs from 'node:fs';
import type { Complaint, StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Json, JsonObject } from '../core/json.js';
import type { ChosenModel, Image, Message, ModelReply } from '../core/model.js';
import { complaintLine } from '../core/schema-complaints.js';
import { type AnswerForm, readAnswer } from './answer-form.js';
import { callModel } from './call.js';
import { FRESH, type GuardState } from './guards.js';
import { modelLine } from './model-line.js';
import { type Head, readTranscript, writeTranscript } from './transcript.js';

/** The answer, and the one after its repair. */
export const MAX_CALLS = 2;

export interface Question {
  /** Says what the answer must look like, too: see `answerWords`. */
  readonly system: string;
  readonly prompt: string;
  /** Shown with the prompt. */
  readonly images: readonly Image[];
  readonly form: AnswerForm;
  /** The last word on an answer. */
  readonly accept: (
    answer: Json,
  ) => Promise<{ readonly value: Json } | { readonly complaints: readonly Pick<Complaint, 'path' | 'message'>[] }>;
  readonly model: ChosenModel;
  /** Names of the models that take its place when its service fails, and what picks them. */
  readonly fallback: readonly string[];
  readonly pickFallback: (name: string) => Promise<ChosenModel>;
  /** By which the model was picked, and the parameters that it had then. */
  readonly role: string;
  readonly roleParameters: JsonObject;
  readonly idleTimeoutMs: number;
  /** A transcript with this key is gone on with. */
  readonly key: string;
  /** Absolute path of transcript.ndjson. */
  readonly transcript: string;
}

export async function askOnce(question: Question, context: StepContext): Promise<Json> {
  const { system, form, transcript, idleTimeoutMs } = question;
  const before = readTranscript(transcript, question.key);
  if (before?.resolved) return before.resolved.value;
  if (!before) fs.rmSync(transcript, { force: true });
  const messages = before ? [...before.messages] : [firstMessage(question)];
  const granted = before && context.goesOn ? before.rounds + context.goesOn.rounds : 0;
  const maxRounds = Math.max(MAX_CALLS, before?.turning.maxRounds ?? 0, granted);
  let guards = before?.guards ?? FRESH;
  const line = modelLine(question.model, question.fallback, question.pickFallback);
  const file = writeTranscript(transcript);
  try {
    if (!before) file.begin(headOf(question, context), messages[0] as Message);
    if (granted === maxRounds) file.turn({ maxRounds });
    for (let round = (before?.rounds ?? 0) + 1; round <= maxRounds; round++) {
      const begun = context.clock.now();
      const format = form.type === 'json' ? { format: form.format } : {};
      const asked = { system, messages: [...messages], tools: [], toolChoice: 'auto' as const, ...format };
      const characters = messages.reduce((sum, { text }) => sum + text.length, system.length);
      const { reply, model, spent } = await callModel(asked, line, characters, idleTimeoutMs, context);
      const verdict = await verdictOn(reply, question);
      guards = countedIn(guards, reply, verdict);
      const took = [
        saidBy(reply),
        ...(verdict.type === 'accepted' ? [] : [{ role: 'user', text: verdict.say } as const]),
      ];
      messages.push(...took);
      file.round(took, {
        round,
        guards,
        reads: [],
        finish: reply.finish,
        ...(reply.usage ? { usage: reply.usage } : {}),
        ...(verdict.type === 'accepted' ? { resolved: { value: verdict.value } } : {}),
      });
      const ms = context.clock.now() - begun;
      await context.emit({ type: 'round', path: context.path, round, calls: [], model: model.label, ms, ...spent });
      if (verdict.type === 'accepted') return verdict.value;
      if (verdict.type === 'declined') {
        throw new Fault('agent.refusal', `the model refused: ${reply.text.slice(0, 300)}`);
      }
      const { problems } = verdict;
      if (problems.length > 0) await context.emit({ type: 'answer_refused', path: context.path, round, problems });
    }
  } finally {
    file.close();
  }
  throw notAccepted(guards, messages);
}

function firstMessage({ prompt, images }: Question): Message {
  return { role: 'user', text: prompt, ...(images.length > 0 ? { images } : {}) };
}

/** All that its requests have in common. */
function headOf(question: Question, { folders }: StepContext): Head {
  const { key, system, model, role, roleParameters, form } = question;
  const asks = {
    role,
    model: model.model,
    host: model.host,
    roleParameters,
    placeholder: model.placeholder,
    parameters: model.parameters,
    tools: [],
    toolChoice: 'auto' as const,
    ...(form.type === 'json' ? { format: form.format } : {}),
    folders: { step: folders.step, skill: folders.skill, project: folders.project },
  };
  return { key, model: model.label, system, asks };
}

type Verdict =
  | { readonly type: 'accepted'; readonly value: Json }
  /** `say`: to the model, if it is asked again. */
  | { readonly type: 'declined' | 'cut'; readonly problems: readonly []; readonly say: string }
  | { readonly type: 'refused'; readonly problems: readonly string[]; readonly say: string };

async function verdictOn(reply: ModelReply, { form, accept }: Question): Promise<Verdict> {
  if (reply.finish === 'refusal') return { type: 'declined', problems: [], say: again(form) };
  if (reply.finish === 'length') {
    const say = 'Your answer was cut off at the length limit, so nothing of it was taken. Answer more briefly.';
    return { type: 'cut', problems: [], say };
  }
  const read = readAnswer(reply.text, form);
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
function saidBy({ text, calls, reasoning, blocks }: ModelReply): Message {
  return {
    role: 'assistant',
    text,
    calls: [],
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(blocks === undefined || calls.length > 0 ? {} : { blocks }),
  };
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
  return new Fault('agent.schema', `no answer was accepted; the last one: ${last.slice(0, 600)}`, {
    hint: 'Make the schema or the asserts easier to satisfy, say in the instructions what they ask for, or use adapter: react, which tries more often.',
  });
}
