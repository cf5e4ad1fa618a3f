/** pipeline chat: a conversation with a model that has the project's skills, pipelines, files and commands. */
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { cutTo } from '../core/columns.js';
import { FAULTS, Fault } from '../core/faults.js';
import { oneLine, plainText } from '../core/plain-text.js';
import { counted } from '../core/words.js';
import { type TerminalSink, terminalSink } from '../sinks/terminal.js';
import { type OpenedChat, openChat } from '../talk.js';
import { askAt, deskHere } from './ask.js';
import { typedBefore } from './chat-history.js';
import { type JsonChat, jsonChat } from './chat-json.js';
import { keysAt } from './chat-keys.js';
import { chatScreen } from './chat-screen.js';
import { resumeLineAt } from './go-on.js';
import { saidColumns, say, stderrScreen } from './output.js';
import { realModelText } from './sketch-notice.js';
import { hanging } from './wrapped.js';

export interface ChatOptions {
  readonly model?: string;
  readonly resume?: boolean | string;
  readonly json?: boolean;
  readonly debug?: boolean;
  readonly sandbox?: 'auto' | 'off';
  readonly detect: boolean;
  readonly skillsDir: readonly string[];
}

const PROMPT = '› ';
const MORE = '… ';
/** Of the last answer of a chat that is gone on with. */
const MOST_LAST_COLUMNS = 66;

export async function chatCommand(options: ChatOptions): Promise<void> {
  const screen = stderrScreen();
  let hold: TerminalSink['hold'] = () => () => undefined;
  const desk = options.json ? undefined : deskHere(screen.color, () => hold());
  if (options.json && process.stdin.isTTY) {
    const hint = 'echo "a question" | pipeline chat --json';
    throw new Fault('input.invalid', '--json is for what is piped into the chat', { hint });
  }
  const json = options.json ? jsonChat(chatScreen(screen)) : undefined;
  const { model, resume, debug, sandbox, detect, skillsDir } = options;
  const chat = openChat({
    cwd: process.cwd(),
    env: process.env,
    skillsDirs: skillsDir,
    detect,
    screen: json?.screen ?? chatScreen(screen),
    // Nothing beside the answer is asked for here.
    ask: desk && askAt(desk, ''),
    askAtGates: desk && askAt(desk),
    resumeLine: resumeLineAt,
    progress() {
      const sink = terminalSink(screen);
      hold = sink.hold;
      return { sinks: [sink], onDelta: sink.delta, onStart: ({ plan, used }) => sink.expect(plan, used) };
    },
    ...(model === undefined ? {} : { model }),
    ...(resume === undefined ? {} : { resume }),
    ...(debug === undefined ? {} : { debug }),
    ...(sandbox === undefined ? {} : { sandbox }),
  });
  const stops = stopsOf();
  try {
    await greet(chat, desk !== undefined, screen.color);
    await (desk ? atTerminal(chat, stops) : piped(chat, stops, json));
  } finally {
    stops.release();
    await chat.close();
  }
}

const TITLE = 'pipeline chat';

async function greet(chat: OpenedChat, isPerson: boolean, color: boolean): Promise<void> {
  const { label, host, reason, placeholder } = await chat.model();
  const bold = (text: string) => (color ? `\u001b[1m${text}\u001b[0m` : text);
  const { id, messages } = chat.session();
  const lines = [`${TITLE}  model: ${plainText(label)}${host ? ` at ${host}` : ''} (${reason})`];
  if (placeholder)
    lines.push(
      '  sketch is no language model: every text is a PLACEHOLDER; what it runs is real.',
      `  ${realModelText(reason, process.env)}`,
    );
  if (messages.length > 0) lines.push(`  goes on with ${id}: ${counted(messages.length, 'message')}`);
  const last = messages.findLast((message) => message.role === 'assistant' && message.text !== '')?.text;
  if (isPerson && last !== undefined) lines.push(`  said last: ${cutTo(oneLine(plainText(last)), MOST_LAST_COLUMNS)}`);
  if (isPerson) lines.push('  /help lists the commands; Ctrl-C stops an answer, Ctrl-D leaves');
  const shown = lines.map((line) => hanging(line, saidColumns(), 2)).join('\n');
  say(shown.replace(TITLE, bold(TITLE)));
}

async function atTerminal(chat: OpenedChat, stops: Stops): Promise<void> {
  const typed = typedBefore(join(chat.dir, 'history'), process.env);
  const keys = keysAt(process.stdin, process.stderr);
  for (;;) {
    const line = await keys.read(PROMPT, MORE, typed.lines());
    if (line.type === 'end' || stops.isLeaving()) break;
    if (line.type === 'interrupt') say('Ctrl-D or /exit leaves.');
    if (line.type !== 'line') continue;
    typed.add(line.text);
    const heard = await stops.stoppable((signal) => chat.hear(line.text, signal));
    if (heard.type === 'leave' || stops.isLeaving()) break;
  }
  if (chat.hasSpoken()) say(`  go on  pipeline chat --resume ${chat.session().id}`);
}

/** One message, however many lines; a text that begins with a slash is read line by line. */
async function piped(chat: OpenedChat, stops: Stops, json: JsonChat | undefined): Promise<void> {
  const text = (await textOf(process.stdin)).replaceAll('\r\n', '\n');
  const lines = text.trimStart().startsWith('/') ? linesIn(text) : [text];
  if (text.trim() === '')
    throw new Fault('input.invalid', 'nothing was said on standard input', {
      hint: 'echo "a question" | pipeline chat',
    });
  for (const line of lines) {
    if (json && line.trim() === '') continue;
    const heard = await stops.stoppable((signal) => chat.hear(line, signal));
    if (heard.type === 'leave') return;
    json?.told(line.trim(), heard, chat);
    if (heard.type === 'failed') {
      process.exitCode = FAULTS[heard.fault.code].exit;
      return;
    }
  }
}

function linesIn(text: string): string[] {
  return text
    .replaceAll(/\\\n/g, '\u0000')
    .split('\n')
    .map((line) => line.replaceAll('\u0000', '\n'));
}

interface Stops {
  /** Ctrl-C meanwhile stops this work, and nothing else. */
  stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The terminal is gone, or this process was told to end. */
  isLeaving(): boolean;
  release(): void;
}

const LEAVE = { SIGTERM: 143, SIGHUP: 129, SIGQUIT: 143 } as const;

function stopsOf(): Stops {
  let now: AbortController | undefined;
  let isLeaving = false;
  const stop = (fault: Fault) => now?.abort(fault);
  const onInterrupt = () => {
    if (!now && !process.stdin.isTTY) process.exit(130);
    stop(new Fault('run.cancelled', 'Ctrl-C was pressed'));
  };
  const leaving = Object.entries(LEAVE).map(([name, exit]) => {
    const handler = () => {
      isLeaving = true;
      process.exitCode = exit;
      if (!now) process.exit(exit);
      stop(new Fault(name === 'SIGHUP' ? 'run.hangup' : 'run.terminated', 'told to end'));
    };
    process.on(name, handler);
    return [name, handler] as const;
  });
  process.on('SIGINT', onInterrupt);
  return {
    async stoppable(work) {
      now = new AbortController();
      try {
        return await work(now.signal);
      } finally {
        now = undefined;
      }
    },
    isLeaving: () => isLeaving,
    release() {
      process.off('SIGINT', onInterrupt);
      for (const [name, handler] of leaving) process.off(name, handler);
    },
  };
}
