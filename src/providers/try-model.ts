/** Tries what an agent needs of a model, by two small calls: that it answers, calls a tool, streams. */
import { Fault, type FaultData, toFault } from '../core/faults.js';
import type { ChosenModel, ModelReply, Usage } from '../core/model.js';
import { counted } from '../core/words.js';

export interface Trial {
  readonly label: string;
  readonly host: string;
  readonly placeholder: boolean;
  readonly canRunAgents: boolean;
  readonly checks: readonly TrialCheck[];
  /** What was asked otherwise, because the server does not take it. */
  readonly notices: readonly string[];
  /** From the request to the first piece of a text. */
  readonly firstPieceMs?: number;
  readonly usage: Usage;
  /** US dollars; null if the price, or what was used, is not known. */
  readonly usd: number | null;
  readonly fault?: FaultData;
}

export interface TrialCheck {
  readonly name: 'answers' | 'calls tools' | 'keeps tool_choice' | 'streams' | 'tells usage';
  readonly holds: boolean;
  /** What was seen, for people. */
  readonly seen: string;
}

const IDLE_TIMEOUT_MS = 60_000;
/** Of one call: a server that goes on and on is no help to an agent either. */
const CALL_TIMEOUT_MS = 180_000;
const WORD = 'ready';

const CALL = {
  system: 'You test a connection. Answer with one call of the tool `resolve`.',
  messages: [{ role: 'user', text: `Call resolve with the word "${WORD}".` }],
  tools: [
    {
      name: 'resolve',
      description: 'Hands in the answer.',
      parameters: {
        type: 'object',
        properties: { word: { type: 'string' } },
        required: ['word'],
        additionalProperties: false,
      },
    },
  ],
  toolChoice: 'required',
} as const;

const TEXT = {
  system: 'You test a connection.',
  messages: [{ role: 'user', text: 'Count from one to ten, in words, on one line.' }],
  tools: [],
  toolChoice: 'auto',
} as const;

type Attempted = Answered | { readonly type: 'failed'; readonly fault: FaultData };

interface Answered {
  readonly type: 'answered';
  readonly reply: ModelReply;
  /** When each piece of text came. */
  readonly piecesMs: readonly number[];
  readonly ms: number;
}

/** Never throws a Fault: it is part of what was found. */
export async function tryModel(model: ChosenModel, signal: AbortSignal): Promise<Trial> {
  const { label, host, placeholder } = model;
  const notices = new Set<string>();

  async function ask(asked: typeof CALL | typeof TEXT): Promise<Attempted> {
    const begun = performance.now();
    const piecesMs: number[] = [];
    const bound = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const options = {
      signal: AbortSignal.any([signal, bound]),
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      onDelta: () => void piecesMs.push(performance.now() - begun),
      onNotice: (text: string) => void notices.add(text),
    };
    try {
      const request = { ...asked, model: model.model, parameters: model.parameters };
      const reply = await model.provider.complete(request, options);
      return { type: 'answered', reply, piecesMs, ms: performance.now() - begun };
    } catch (error) {
      return { type: 'failed', fault: bound.aborted ? endless().data : toFault(error) };
    }
  }

  const called = await ask(CALL);
  const lost = [...notices].find((text) => text.includes('tool_choice'));
  // A server that knows no tools may still answer.
  const isOver = called.type === 'failed' && called.fault.code !== 'provider.refused';
  const said = isOver ? called : await ask(TEXT);
  const answers = [called, said].filter((one) => one.type === 'answered');
  const calls = callCheck(called);
  const fault = called.type === 'failed' ? called.fault : calls.holds ? undefined : misused(label, called).data;
  const firstPieceMs = said.type === 'answered' ? said.piecesMs[0] : undefined;
  return {
    label,
    host,
    placeholder,
    canRunAgents: calls.holds,
    checks: [answerCheck(called, said), ...(answers.length === 0 ? [] : [calls, ...moreChecks(called, said, lost)])],
    notices: [...notices],
    ...(firstPieceMs === undefined ? {} : { firstPieceMs: Math.round(firstPieceMs) }),
    ...(await costOf(
      answers.map(({ reply }) => reply),
      model,
    )),
    ...(fault ? { fault } : {}),
  };
}

function answerCheck(called: Attempted, said: Attempted): TrialCheck {
  const answer = called.type === 'answered' ? called : said;
  if (answer.type === 'failed') return { name: 'answers', holds: false, seen: answer.fault.message };
  return { name: 'answers', holds: true, seen: `in ${Math.round(answer.ms)} ms` };
}

function callCheck(called: Attempted): TrialCheck {
  const name = 'calls tools';
  if (called.type === 'failed') return { name, holds: false, seen: called.fault.message };
  const { calls, text, finish } = called.reply;
  const [call] = calls;
  if (!call)
    return { name, holds: false, seen: text === '' ? `nothing came (${finish})` : 'text came in place of a call' };
  const seen = `${call.name}(${call.arguments})`;
  if (call.name !== 'resolve') return { name, holds: false, seen: `${seen}: the tool is resolve` };
  if (!hasWord(call.arguments)) return { name, holds: false, seen: `${seen}: the text "word" is not among them` };
  return { name, holds: true, seen };
}

function moreChecks(called: Attempted, said: Attempted, lost: string | undefined): TrialCheck[] {
  const hasCalled = called.type === 'answered' && called.reply.calls.length > 0;
  const pieces = said.type === 'answered' ? said.piecesMs.length : 0;
  const replies = [called, said].flatMap((one) => (one.type === 'answered' ? [one.reply] : []));
  const choice = hasCalled ? 'required is kept to' : 'required is not kept to';
  return [
    { name: 'keeps tool_choice', holds: hasCalled && lost === undefined, seen: lost ?? choice },
    {
      name: 'streams',
      holds: pieces > 1,
      seen: said.type === 'failed' ? said.fault.message : counted(pieces, 'piece'),
    },
    { name: 'tells usage', holds: replies.every(({ usage }) => usage !== undefined), seen: usageText(replies) },
  ];
}

function misused(label: string, { reply }: Answered): Fault {
  const did = reply.calls.some(({ name }) => name === 'resolve')
    ? 'called the tool with arguments that do not fit it'
    : 'did not call the tool that it was made to call';
  return new Fault('provider.refused', `${label} ${did}`, {
    hint: 'Agents need a model that calls tools, behind a server that lets it.',
  });
}

function endless(): Fault {
  return new Fault('provider.silent', `its answer had not ended after ${CALL_TIMEOUT_MS / 1_000} s`, {
    hint: 'An agent would wait as long: try a smaller model, or another server.',
  });
}

function hasWord(text: string): boolean {
  try {
    return typeof JSON.parse(text).word === 'string';
  } catch {
    return false;
  }
}

function usageText(replies: readonly ModelReply[]): string {
  const { inputTokens, outputTokens } = sumOf(replies);
  const silent = replies.filter(({ usage }) => !usage).length;
  if (silent === replies.length) return 'it does not say what it used';
  return `${inputTokens} tokens in, ${outputTokens} out${silent > 0 ? '; not of every call' : ''}`;
}

function sumOf(replies: readonly ModelReply[]): Usage {
  const sum = (of: (usage: Usage) => number) => replies.reduce((all, { usage }) => all + (usage ? of(usage) : 0), 0);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
  };
}

async function costOf(replies: readonly ModelReply[], model: ChosenModel): Promise<Pick<Trial, 'usage' | 'usd'>> {
  const price = await model.price?.();
  const costs = replies.map(({ usage }) => (price && usage ? price(usage) : undefined));
  const isFree = price?.({ inputTokens: 1_000, outputTokens: 1_000, cachedTokens: 0 }) === 0;
  const usd = isFree ? 0 : costs.includes(undefined) ? null : costs.reduce<number>((all, cost) => all + (cost ?? 0), 0);
  return { usage: sumOf(replies), usd };
}
