/** The run on a terminal: one line a step; what runs now is drawn in place where the terminal can. */
import type { Recorded, Sink } from '../core/events.js';
import type { StepPath } from '../core/types.js';
import { cutTo, duration, plainText, tokens } from './words.js';

export interface Screen {
  write(text: string): void;
  /** Lines can be drawn over, and there is a person to see it. */
  readonly live: boolean;
  readonly color: boolean;
  columns(): number;
}

interface Running {
  readonly since: number;
  readonly title: string;
  rounds: number;
  tools: number;
  tokens: number;
  doing: string;
}

const REDRAW_MS = 120;
const MOST_LINES = 8;

export function terminalSink(screen: Screen): Sink {
  const running = new Map<StepPath, Running>();
  const itemLoops = new Map<StepPath, { count: number; done: number; failed: number }>();
  const groups = new Set<StepPath>();
  let drawn = 0;
  const paint = (code: string, text: string) => (screen.color ? `\u001b[${code}m${text}\u001b[0m` : text);

  const erase = () => {
    if (drawn > 0) screen.write(`\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  };
  const draw = () => {
    if (!screen.live) return;
    const lines = [...running.entries()].slice(0, MOST_LINES).map(([path, one]) => runningLine(path, one));
    if (running.size > MOST_LINES) lines.push(`  … ${running.size - MOST_LINES} more`);
    for (const line of lines) screen.write(`${paint('2', cutTo(line, screen.columns() - 1))}\n`);
    drawn = lines.length;
  };
  const say = (line: string) => {
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
  const indent = (path: StepPath) => '  '.repeat(path.split('/').filter((part) => !/^\d+$/.test(part)).length);
  const settle = (mark: string, color: string, path: StepPath, note: string, quietInLoops: boolean) => {
    const one = running.get(path);
    running.delete(path);
    const loop = loopAround(path);
    if (loop && quietInLoops) return;
    say(`${indent(path)}${paint(color, mark)} ${nameOf(path)}${one ? figures(one) : ''}${note}`);
  };

  return {
    write(event: Recorded) {
      switch (event.type) {
        case 'notice':
          return say(paint('33', `! ${plainText(event.text)}`));
        case 'loop':
          if (event.of === 'items') itemLoops.set(event.path, { count: event.count, done: 0, failed: 0 });
          else if (event.count > 1)
            say(`${indent(event.path)}${paint('2', `↻ ${nameOf(event.path)} round ${event.count}`)}`);
          return;
        case 'step_started':
          if (event.key === '') groups.add(event.path);
          else
            running.set(event.path, {
              since: Date.parse(event.at),
              title: plainText(event.title),
              rounds: 0,
              tools: 0,
              tokens: 0,
              doing: '',
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
        case 'tool': {
          const one = running.get(event.path);
          if (!one || event.name === 'resolve') return;
          one.tools++;
          one.doing = plainText(`${event.name}${event.target ? ` ${event.target}` : ''}`);
          return;
        }
        case 'tool_refused':
          return say(`${indent(event.path)}${paint('33', '!')} ${nameOf(event.path)}: ${plainText(event.reason)}`);
        case 'call_retry':
        case 'step_retry':
          return say(
            `${indent(event.path)}${paint('33', '↻')} ${nameOf(event.path)} again in ${duration(event.waitMs)}: ${plainText(event.fault.message)}`,
          );
        case 'step_notice':
          return say(`${indent(event.path)}${paint('33', '!')} ${nameOf(event.path)}: ${plainText(event.text)}`);
        case 'step_done': {
          const loop = itemLoops.get(event.path);
          if (loop) {
            itemLoops.delete(event.path);
            return say(
              `${indent(event.path)}${paint('32', '✓')} ${nameOf(event.path)}  ${loop.count} items  ${duration(event.ms)}`,
            );
          }
          if (event.key === '') return;
          return settle('✓', '32', event.path, `  ${duration(event.ms)}`, true);
        }
        case 'step_reused':
          return settle('=', '36', event.path, '  reused', true);
        case 'step_skipped':
          return settle('-', '2', event.path, `  skipped: ${plainText(event.reason)}`, true);
        case 'step_failed':
          if (groups.has(event.path)) return;
          return settle('✗', '31', event.path, `  ${plainText(event.fault.message)}`, false);
        case 'step_ended':
          return settle('■', '33', event.path, `  ${event.outcome}`, false);
        case 'step_waiting':
          return settle('…', '33', event.path, '  waits', false);
        case 'step_stopped':
          return settle('■', '33', event.path, `  stopped: ${plainText(event.fault.message)}`, true);
        case 'run_ended':
          running.clear();
          return erase();
        default:
          return;
      }
    },
    async close() {
      clearInterval(timer);
      erase();
    },
  };

  function runningLine(path: StepPath, one: Running): string {
    const doing = one.doing === '' ? '' : `  ${one.doing}`;
    return `${indent(path)}· ${nameOf(path)}${figures(one)}  ${duration(Date.now() - one.since)}${doing}`;
  }
}

function nameOf(path: StepPath): string {
  const parts = path.split('/');
  const at = parts.findLastIndex((part) => !/^\d+$/.test(part));
  return parts.slice(at).join('/');
}

function figures(one: Running): string {
  const parts = [
    ...(one.rounds > 0 ? [`${one.rounds} ${one.rounds === 1 ? 'round' : 'rounds'}`] : []),
    ...(one.tools > 0 ? [`${one.tools} ${one.tools === 1 ? 'tool call' : 'tool calls'}`] : []),
    ...(one.tokens > 0 ? [`${tokens(one.tokens)} tokens`] : []),
  ];
  return parts.map((part) => `  ${part}`).join('');
}
