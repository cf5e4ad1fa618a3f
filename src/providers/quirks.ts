/** Oddities of servers: which refusal another way of asking can avoid, found out once a model and then remembered. */
import type { ModelRequest } from '../core/model.js';

/** What a server was found not to take. */
export type Quirk =
  | 'auto_choice_only'
  | 'no_stream_options'
  | 'max_completion_tokens'
  | 'echo_reasoning'
  | 'no_parallel_key'
  | 'no_response_format'
  /** It neither says [DONE] nor hangs up: not refused, but seen. */
  | 'no_end';

export interface Oddity<Q extends string> {
  readonly quirk: Q;
  /** What the refusal must name. */
  readonly named: RegExp;
  readonly statuses: readonly number[];
  /** Whether the refused request held what was refused. */
  readonly applies: (request: ModelRequest) => boolean;
  /** What is not asked any more, for people; undefined where only the spelling changes. */
  readonly gives?: string;
}

const REFUSED = [400, 422];

/** Of servers that speak Chat Completions. */
export const CHAT_ODDITIES: readonly Oddity<Quirk>[] = [
  {
    quirk: 'auto_choice_only',
    named: /tool_?choice/i,
    // A router whose servers all lack it has "no endpoint" for the request.
    statuses: [...REFUSED, 404],
    applies: ({ toolChoice, tools }) => toolChoice === 'required' && tools.length > 0,
    gives: 'is no longer made to call a tool (tool_choice), only asked to',
  },
  {
    quirk: 'no_stream_options',
    named: /stream_options|include_usage/i,
    statuses: REFUSED,
    applies: () => true,
    gives: 'is no longer asked for its usage (stream_options)',
  },
  {
    quirk: 'max_completion_tokens',
    named: /max_completion_tokens/i,
    statuses: REFUSED,
    applies: ({ parameters }) => 'max_tokens' in parameters,
  },
  { quirk: 'echo_reasoning', named: /reasoning_content/i, statuses: REFUSED, applies: hasTurnWithCalls },
  {
    quirk: 'no_parallel_key',
    named: /parallel_tool_calls/i,
    statuses: REFUSED,
    applies: ({ parameters }) => 'parallel_tool_calls' in parameters,
    gives: 'is no longer told how many calls a turn may hold (parallel_tool_calls)',
  },
  {
    quirk: 'no_response_format',
    named: /response_format|json_?schema|structured.outputs?|grammar/i,
    statuses: REFUSED,
    applies: ({ parameters, format }) => format !== undefined || 'response_format' in parameters,
    gives: 'is no longer held to the form of its answer (response_format); the answer is checked here, as ever',
  },
];

export interface QuirkMemory<Q extends string> {
  of(model: string): ReadonlySet<Q>;
  /** The quirk that may help against this refusal of a request that was sent with the quirks `sent`. */
  find(
    request: ModelRequest,
    sent: ReadonlySet<Q>,
    refusal: { readonly status: number; readonly body: string },
  ): Q | undefined;
  /** It helped. Returns, the first time, what requests lose by it from now on. */
  remember(model: string, quirk: Q): string | undefined;
}

export function createQuirkMemory<Q extends string>(oddities: readonly Oddity<Q>[]): QuirkMemory<Q> {
  const byModel = new Map<string, Set<Q>>();
  return {
    of: (model) => byModel.get(model) ?? new Set(),
    find: (request, sent, { status, body }) =>
      oddities.find(
        ({ quirk, named, statuses, applies }) =>
          !sent.has(quirk) && statuses.includes(status) && named.test(body) && applies(request),
      )?.quirk,
    remember(model, quirk) {
      const known = byModel.get(model) ?? new Set();
      byModel.set(model, known);
      if (known.has(quirk)) return undefined;
      known.add(quirk);
      const gives = oddities.find((oddity) => oddity.quirk === quirk)?.gives;
      return gives === undefined ? undefined : `The server refused it, so ${model} ${gives}.`;
    },
  };
}

/** A low guess, so that a warning is seldom false. */
const CHARACTERS_A_TOKEN = 5;

/**
 * What to say when an answer shows that Ollama may have read only the end of the request; undefined if nothing.
 * @param readsLastTokens undefined for another server
 */
export function ollamaWarning(
  readsLastTokens: number | undefined,
  model: string,
  requestCharacters: number,
  inputTokens: number | undefined,
): string | undefined {
  if (readsLastTokens === undefined || requestCharacters / CHARACTERS_A_TOKEN < readsLastTokens) return undefined;
  if (inputTokens !== undefined && inputTokens > readsLastTokens) return undefined;
  return (
    `Ollama may have read only the last ${readsLastTokens} tokens of what ${model} was asked, and does not say so. ` +
    'Start it with a larger context (OLLAMA_CONTEXT_LENGTH=32768 ollama serve), and say it in the role of the model: context: 32768.'
  );
}

function hasTurnWithCalls({ messages }: ModelRequest): boolean {
  return messages.some((message) => message.role === 'assistant' && message.calls.length > 0);
}
