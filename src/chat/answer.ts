/** One answer of a chat: the model is asked until it answers without a call; the words and calls on the way are kept and shown. */
import { callModel } from '../agent/call.js';
import { converse, type Said } from '../agent/converse.js';
import { type ModelLine, modelLine } from '../agent/model-line.js';
import type { Sandbox, StepContext } from '../core/context.js';
import type { StepEvent } from '../core/events.js';
import type { ChosenModel, Models } from '../core/model.js';
import type { Tool } from '../core/tool.js';
import { ensureDir } from '../files/atomic-write.js';
import { summaryRequest } from './compact.js';
import { chatContext, type Surroundings } from './context.js';
import { type History, openHistory } from './history.js';
import type { Session } from './session.js';
import { subagentTool } from './subagent.js';

/** Of an answer. */
const MAX_ROUNDS = 10_000;
const DEAD_LOOP_WINDOW = 3;
const IDLE_TIMEOUT_MS = 2 * 60_000;

/** Where a chat is shown. */
export interface ChatScreen {
  /** The model's words, as they come. */
  answer(text: string): void;
  /** A sub-agent's words, as they come. */
  aside(text: string): void;
  /** A line about what goes on. */
  note(text: string): void;
  /** What a command gives. */
  print(text: string): void;
  /** The words that came are whole: what comes next begins a line. */
  end(): void;
  /** Of the terminal that `print` goes to; undefined where nothing breaks lines. */
  columns(): number | undefined;
}

export interface Voice {
  readonly model: ChosenModel;
  readonly models: Models;
}

export interface Speaker {
  readonly history: History;
  /** @param tools none for a plan */
  answer(voice: Voice, system: string, tools: readonly Tool[], signal: AbortSignal): Promise<Said>;
  compact(voice: Voice, signal: AbortSignal): Promise<boolean>;
  /** What was stopped in the answer that a person stopped. */
  stopped(): string;
}

/** @param wrap around every tool that is called */
export function createSpeaker(
  session: Session,
  around: Omit<Surroundings, 'models' | 'sandbox'> & { sandbox(): Promise<Sandbox> },
  screen: ChatScreen,
  wrap: (tools: readonly Tool[]) => readonly Tool[],
): Speaker {
  let rounds = session.rounds;
  /** Calls that were begun, and have not ended; those of a sub-agent behind the one that is it. */
  let underway: readonly string[] = [];
  /** Of the answer that is being given. */
  let now: {
    readonly voice: Voice;
    readonly system: string;
    readonly tools: readonly Tool[];
    readonly context: StepContext;
  };

  const usedBy = (event: StepEvent) => {
    if (event.type === 'round' || event.type === 'call_lost' || event.type === 'call_retry')
      session.write({ type: 'event', event });
    if (event.type === 'round') rounds++;
  };
  const listener = (onText: (text: string) => void) => ({
    onText,
    emit(event: StepEvent) {
      usedBy(event);
      if (event.type === 'tool_started') underway = [...underway, nameOf(event)];
      if (event.type === 'tool') underway = withoutLast(underway, nameOf(event));
      const told = toldOf(event);
      if (told !== undefined) screen.note(told);
    },
  });
  const lineOf = ({ model, models }: Voice): ModelLine => modelLine(model, model.fallback ?? [], models.pick);
  const history = openHistory({
    session,
    messages: session.messages,
    head: () => now,
    note: screen.note,
    async summarise(cut) {
      screen.note('summing up the early part of this chat …');
      const quiet: StepContext = { ...now.context, onDelta: () => undefined };
      const begun = quiet.clock.now();
      const { reply, model, spent } = await callModel(
        summaryRequest(cut, now.voice.model.contextTokens),
        lineOf(now.voice),
        IDLE_TIMEOUT_MS,
        quiet,
      );
      const ms = quiet.clock.now() - begun;
      usedBy({ type: 'round', path: quiet.path, round: 0, calls: [], model: model.label, ms, ...spent });
      return quiet.redact(reply.text);
    },
  });

  async function enter(voice: Voice, system: string, tools: readonly Tool[], signal: AbortSignal) {
    const surroundings = { ...around, models: voice.models, sandbox: tools.length > 0 ? await around.sandbox() : NONE };
    const context = chatContext(surroundings, session.folder, signal, listener(screen.answer));
    const subagent = subagentTool({
      tools: () => withFolder(wrap(tools.filter(({ spec }) => !/^run_.*_pipeline$/.test(spec.name)))),
      line: () => lineOf(voice),
      contextFor: ({ signal: inner }, name) =>
        chatContext(
          surroundings,
          `${session.folder}/${name.replace(' ', '-')}-${rounds}`,
          inner,
          listener(screen.aside),
          name,
        ),
      maxRounds: MAX_ROUNDS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
    });
    now = { voice, system, tools: tools.length > 0 ? withFolder(wrap([...tools, subagent])) : [], context };
    return now;
  }

  return {
    history,
    stopped: () =>
      underway
        .map((name) => `✗ ${name} (stopped)`)
        .reverse()
        .join('\n') || '(stopped)',
    async answer(voice, system, tools, signal) {
      underway = [];
      const entered = await enter(voice, system, tools, signal);
      return converse(
        {
          system,
          tools: entered.tools,
          line: lineOf(voice),
          history,
          maxRounds: MAX_ROUNDS,
          deadLoopWindow: DEAD_LOOP_WINDOW,
          idleTimeoutMs: IDLE_TIMEOUT_MS,
          roundsBefore: rounds,
          async onEffect(message, call, results) {
            session.write({ type: 'begun', said: message, call, results: [...results] });
          },
        },
        entered.context,
      );
    },
    async compact(voice, signal) {
      await enter(voice, '', [], signal);
      return history.compact();
    },
  };
}

/** A long result becomes a file there. */
function withFolder(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => ({
    ...tool,
    execute(args, context) {
      ensureDir(context.folders.work);
      return tool.execute(args, context);
    },
  }));
}

/** Of an answer without tools. */
const NONE: Sandbox = { type: 'none', reason: 'no tools are offered', hint: '' };

/** What a person sees of it, beside the words. */
function toldOf(event: StepEvent): string | undefined {
  switch (event.type) {
    case 'tool_started':
      return `→ ${nameOf(event)}`;
    case 'tool':
      return `${event.ok ? '✓' : '✗'} ${nameOf(event)}`;
    case 'tool_refused':
      return `✗ ${event.name}: ${event.reason}`;
    case 'call_retry':
      return `! ${event.fault.message}; tried again in ${Math.round(event.waitMs / 1_000)} s`;
    case 'fallback':
      return `! ${event.fault.message}; ${event.to} takes the place of ${event.from}`;
    case 'step_notice':
      return `${event.tone ? '·' : '!'} ${event.text}`;
    default:
      return undefined;
  }
}

function nameOf({ name, target }: Extract<StepEvent, { type: 'tool_started' | 'tool' }>): string {
  return target === undefined ? name : `${name} ${target}`;
}

function withoutLast(names: readonly string[], name: string): string[] {
  const at = names.lastIndexOf(name);
  return names.filter((_, index) => index !== at);
}
