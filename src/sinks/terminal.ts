/** The run on a terminal: one line a step; what runs now is drawn in place where the terminal can. */

import { systemClock } from '../core/clock.js';
import { cutTo } from '../core/columns.js';
import type { Recorded, Sink } from '../core/events.js';
import { askedGate } from '../core/gate.js';
import type { Json } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { plainText } from '../core/plain-text.js';
import { isRoutine } from '../core/reasons.js';
import { idsOf } from '../core/step-path.js';
import { counted, duration, tokenCount } from '../core/words.js';

export interface Screen {
  write(text: string): void;
  /** Lines can be drawn over, and there is a person to see it. */
  readonly live: boolean;
  readonly color: boolean;
  columns(): number;
}

export interface TerminalSink extends Sink {
  /** The screen belongs to somebody else until the returned function is called: what is to be said is kept until then. */
  hold(): () => void;
}

interface Running {
  readonly since: number;
  readonly title: string;
  /** Why it runs although something of it is known; '' for the first time. */
  readonly because: string;
  rounds: number;
  tools: number;
  tokens: number;
  doing: string;
  /** What it turned out to be about. */
  subject: string;
}

interface ItemLoop {
  readonly count: number;
  readonly failed: Set<StepPath>;
  reused: number;
}

const REDRAW_MS = 120;
const MOST_LINES = 8;
const MOST_SUBJECT_COLUMNS = 60;

export function terminalSink(screen: Screen): TerminalSink {
  const running = new Map<StepPath, Running>();
  const itemLoops = new Map<StepPath, ItemLoop>();
  /** Groups that began, with what was said of failures in them. */
  const groups = new Map<StepPath, string[]>();
  /** Said to be stopped: that an end skipped them need not be said as well. */
  const stopped = new Set<StepPath>();
  /** Steps that say how a run ends which a script drives: nobody wrote them. */
  const endings = new Set<string>();
  let drawn = 0;
  /** What is to be said, while somebody else has the screen. */
  let kept: string[] | undefined;
  const paint = (code: string, text: string) => (screen.color ? `\u001b[${code}m${text}\u001b[0m` : text);

  const erase = () => {
    if (drawn > 0) screen.write(`\u001b[${drawn}F\u001b[0J`);
    drawn = 0;
  };
  const draw = () => {
    if (!screen.live || kept) return;
    const lines = [...running.entries()].slice(0, MOST_LINES).map(([path, one]) => runningLine(path, one));
    if (running.size > MOST_LINES) lines.push(`  … ${running.size - MOST_LINES} more`);
    for (const line of lines) screen.write(`${paint('2', cutTo(line, screen.columns() - 1))}\n`);
    drawn = lines.length;
  };
  const say = (line: string) => {
    if (kept) {
      kept.push(line);
      return;
    }
    erase();
    screen.write(`${line}\n`);
    draw();
  };
  const redraw = () => {
    erase();
    draw();
  };
  const timer = screen.live ? setInterval(redraw, REDRAW_MS) : undefined;
  timer?.unref();

  const loopAround = (path: StepPath) => [...itemLoops.keys()].find((loop) => path.startsWith(`${loop}/`));
  const indent = (path: StepPath) => '  '.repeat(idsOf(path).split('/').length);
  const settle = (mark: string, color: string, path: StepPath, note: string, quietInLoops: boolean) => {
    const one = running.get(path);
    running.delete(path);
    const loop = loopAround(path);
    if (loop && quietInLoops) return;
    say(`${indent(path)}${paint(color, mark)} ${nameOf(path)}${one ? figures(one) : ''}${note}`);
  };
  const note = (mark: string, path: StepPath, text: string) =>
    say(`${indent(path)}${paint('33', mark)} ${nameOf(path)}${text}`);
  /** A group fails with the message of the step that failed in it, unless its own result or assert does not hold. */
  const wasSaid = (path: StepPath, message: string) =>
    groups.get(path)?.some((said) => message.endsWith(said)) === true;
  const remember = (path: StepPath, message: string) => {
    for (const [group, said] of groups) if (path.startsWith(`${group}/`)) said.push(message);
    itemLoops.get(loopOf(path))?.failed.add(path);
  };

  return {
    write(event: Recorded) {
      switch (event.type) {
        case 'run_started':
          for (const { id, kind } of event.steps) if (kind === 'ending') endings.add(id);
          return;
        case 'notice':
          return say(paint('33', `! ${plainText(event.text)}`));
        case 'loop':
          if (event.of === 'items') itemLoops.set(event.path, { count: event.count, failed: new Set(), reused: 0 });
          else if (!groups.has(event.path)) groups.set(event.path, []);
          if (event.of === 'rounds' && event.count > 1)
            say(`${indent(event.path)}${paint('2', `↻ ${nameOf(event.path)} round ${event.count}`)}`);
          return;
        case 'step_started':
          stopped.delete(event.path);
          if (event.key === '') groups.set(event.path, []);
          else
            running.set(event.path, {
              since: Date.parse(event.at),
              title: plainText(event.title),
              because: plainText(event.because),
              rounds: 0,
              tools: 0,
              tokens: 0,
              doing: '',
              subject: '',
            });
          if (screen.live) redraw();
          return;
        case 'round': {
          const one = running.get(event.path);
          if (!one) return;
          one.rounds = event.round;
          one.tokens += (event.usage?.inputTokens ?? 0) + (event.usage?.outputTokens ?? 0);
          return;
        }
        case 'tool_started': {
          const one = running.get(event.path);
          if (one) one.doing = plainText(`${event.name}${event.target ? ` ${event.target}` : ''}`);
          return;
        }
        case 'tool': {
          const one = running.get(event.path);
          if (!one || event.name === 'resolve') return;
          one.tools++;
          one.doing = plainText(`${event.name}${event.target ? ` ${event.target}` : ''}`);
          return;
        }
        case 'tool_refused': {
          const one = running.get(event.path);
          if (one) one.tools++;
          return note('!', event.path, `: ${plainText(event.reason)}`);
        }
        case 'call_retry':
        case 'step_retry':
          return note('↻', event.path, ` again in ${duration(event.waitMs)}: ${plainText(event.fault.message)}`);
        case 'call_lost':
          return note('↻', event.path, lostText(event));
        case 'fallback':
          return note('↻', event.path, ` ${plainText(`${event.from} → ${event.to}: ${event.fault.message}`)}`);
        case 'step_notice': {
          const one = running.get(event.path);
          if (event.tone === 'subject' && one) one.subject = cutTo(plainText(event.text), MOST_SUBJECT_COLUMNS);
          else if (event.tone)
            say(`${indent(event.path)}${paint('2', `· ${nameOf(event.path)}: ${plainText(event.text)}`)}`);
          else note('!', event.path, `: ${plainText(event.text)}`);
          return;
        }
        case 'step_done': {
          itemLoops.get(loopOf(event.path))?.failed.delete(event.path);
          const loop = itemLoops.get(event.path);
          itemLoops.delete(event.path);
          if (loop && loop.reused > 0 && loop.reused === loop.count) {
            return settle('=', '36', event.path, `  ${counted(loop.count, 'item')} reused`, false);
          }
          if (loop) return settle('✓', '32', event.path, `  ${itemsText(loop)}  ${duration(event.ms)}`, false);
          if (event.key === '') return;
          return settle('✓', '32', event.path, `  ${duration(event.ms)}`, true);
        }
        case 'step_reused': {
          const loop = itemLoops.get(loopOf(event.path));
          if (loop) loop.reused++;
          return settle('=', '36', event.path, '  reused', true);
        }
        case 'step_skipped':
          if (stopped.has(event.path) || isRoutine(event.reason) || endings.has(event.path)) return;
          if (groups.has(event.path) || itemLoops.delete(event.path))
            return settle('■', '33', event.path, `  stopped: ${plainText(event.reason)}`, true);
          return settle('-', '2', event.path, `  skipped: ${plainText(event.reason)}`, true);
        case 'step_failed': {
          itemLoops.delete(event.path);
          const { message } = event.fault;
          const said = wasSaid(event.path, message);
          remember(event.path, message);
          return said ? undefined : settle('✗', '31', event.path, `  ${plainText(message)}`, false);
        }
        case 'step_ended':
          return settle('■', '33', event.path, `  ${plainText(event.outcome)}`, false);
        case 'step_waiting':
          return settle('…', '33', event.path, `  ${waitsFor(event.ask)}`, false);
        case 'step_stopped':
          stopped.add(event.path);
          return settle('■', '33', event.path, `  stopped: ${plainText(firstLine(event.fault.message))}`, true);
        case 'run_ended':
          running.clear();
          return erase();
        default:
          return;
      }
    },
    hold() {
      erase();
      kept ??= [];
      return () => {
        for (const line of kept ?? []) screen.write(`${line}\n`);
        kept = undefined;
        draw();
      };
    },
    async close() {
      clearInterval(timer);
      erase();
    },
  };

  function runningLine(path: StepPath, one: Running): string {
    const doing = one.doing === '' ? '' : `  ${one.doing}`;
    return `${indent(path)}· ${nameOf(path)}${figures(one)}  ${duration(systemClock.now() - one.since)}${doing}`;
  }
}

function itemsText({ count, failed, reused }: ItemLoop): string {
  const kept = reused > 0 ? `, ${reused} reused` : '';
  if (failed.size === 0) return `${counted(count, 'item')}${kept}`;
  return `${count - failed.size} of ${counted(count, 'item')}, ${failed.size} failed${kept}`;
}

function waitsFor(ask: Json): string {
  const gate = askedGate(ask);
  return gate ? `waits for an answer: ${plainText(gate.choices.join(', '))}` : 'waits';
}

/** If the path is an item. */
function loopOf(path: StepPath): StepPath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function nameOf(path: StepPath): string {
  const parts = path.split('/');
  const at = parts.findLastIndex((part) => !/^\d+$/.test(part));
  return parts.slice(at).join('/');
}

/** What goes on below it, e.g. a diff, is said at the end. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function figures(one: Running): string {
  const parts = [
    ...(one.subject === '' ? [] : [one.subject]),
    ...(one.rounds > 0 ? [counted(one.rounds, 'round')] : []),
    ...(one.tools > 0 ? [counted(one.tools, 'tool call')] : []),
    ...(one.tokens > 0 ? [tokenCount(one.tokens)] : []),
    ...(one.because === '' ? [] : [`(${one.because})`]),
  ];
  return parts.map((part) => `  ${part}`).join('');
}

function lostText({ usage, estimatedTokens = 0 }: Extract<Recorded, { type: 'call_lost' }>): string {
  if (usage) return ` lost what a call had answered, ${tokenCount(usage.inputTokens + usage.outputTokens)}`;
  return ` lost a call, which counts as ${tokenCount(estimatedTokens)}`;
}
