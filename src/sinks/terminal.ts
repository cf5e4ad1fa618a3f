/** The run on a terminal: a line for each step when it settles; below them, where lines can be drawn over, what runs now. */
import { systemClock } from '../core/clock.js';
import { cutTo } from '../core/columns.js';
import type { Recorded, Sink, UsageTotal } from '../core/events.js';
import type { Delta } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { plainText } from '../core/plain-text.js';
import type { Plan } from '../core/plan.js';
import { createCanvas } from './terminal/canvas.js';
import { fold } from './terminal/fold.js';
import { type Line, span } from './terminal/line.js';
import { liveLines } from './terminal/live-lines.js';
import { expectPlan, hear, newProgress } from './terminal/progress.js';
import { layoutOf } from './terminal/row.js';
import type { Screen } from './terminal/screen.js';
import { gatherSkips } from './terminal/skips.js';
import { spoken } from './terminal/spoken.js';
import { NO_FIGURES, plainLine, type Told } from './terminal/told.js';
import { toldLines } from './terminal/told-lines.js';
import { totalLines } from './terminal/total-line.js';

export interface TerminalSink extends Sink {
  /** The screen belongs to somebody else until the returned function is called: what is to be said is kept until then. */
  hold(): () => void;
  /** @param used by earlier sessions of the run */
  expect(plan: Plan, used: UsageTotal): void;
  delta(path: StepPath, delta: Delta): void;
}

export interface TerminalOptions {
  /** What the models say, and each call of a tool, as lines of their own. */
  readonly verbose?: boolean;
}

const REDRAW_MS = 100;
/** The rows that always stay to what was said before. */
const ROWS_ABOVE = 2;
const MOST_LINES = 24;
/** Columns of what was wrong with an answer. */
const MOST_PROBLEMS = 300;

export function terminalSink(screen: Screen, { verbose = false }: TerminalOptions = {}): TerminalSink {
  const progress = newProgress();
  const canvas = createCanvas(screen);
  const said = toldLines(progress);
  const words = spoken();
  const skips = gatherSkips();
  /** What is to be said, while somebody else has the screen. */
  let kept: Line[] | undefined;

  const layout = () => layoutOf(screen.columns(), [...progress.ids, ...progress.innerNames]);
  const below = (): Line[] => {
    if (!screen.live || progress.since === undefined || progress.isOver) return [];
    const now = systemClock.now();
    const rows = screen.rows() - ROWS_ABOVE;
    const total = totalLines(progress, layout(), now).slice(0, Math.max(0, rows));
    return [...liveLines(progress, layout(), Math.min(MOST_LINES, rows - total.length), now), ...total];
  };
  const linesOf = (all: readonly Told[]) => all.flatMap((told) => said.lines(told, layout()));
  const say = (all: readonly Told[]) => {
    const lines = screen.live ? linesOf(all.flatMap(skips.add)) : all.filter((told) => !told.forPerson).map(plainTold);
    if (kept) kept.push(...lines);
    else if (lines.length > 0) canvas.frame(lines, below());
  };
  const draw = () => {
    if (!kept) canvas.frame(linesOf(skips.rest()), below());
  };
  const timer = screen.live ? setInterval(draw, REDRAW_MS) : undefined;
  timer?.unref();

  return {
    write(event: Recorded) {
      if (verbose) say(spokenOf(event));
      say(fold(progress, event));
      // What begins is seen at once; after that the timer draws.
      if (event.type === 'run_ended' || (event.type === 'step_started' && !canvas.isDrawn())) draw();
    },
    expect(plan, used) {
      expectPlan(progress, plan, used);
    },
    delta(path, delta) {
      if (screen.live) hear(progress, path, delta);
      if (verbose) say(words.hear(path, delta).map((text) => spokenLine(path, text)));
    },
    hold() {
      canvas.clear();
      kept ??= [];
      return () => {
        const lines = kept ?? [];
        kept = undefined;
        canvas.frame([...lines, ...linesOf(skips.rest())], below());
      };
    },
    async close() {
      clearInterval(timer);
      canvas.clear();
    },
  };

  function spokenOf(event: Recorded): Told[] {
    switch (event.type) {
      case 'round':
        return words.end(event.path).map((text) => spokenLine(event.path, text));
      case 'tool': {
        const call = `${event.name}${event.target ? ` ${event.target}` : ''}`;
        return [{ ...spokenLine(event.path, plainText(call)), mark: event.ok ? '→' : '✗' }];
      }
      case 'answer_refused': {
        const problems = event.problems.map((one) => plainText(one)).join('; ');
        return [
          { ...spokenLine(event.path, `the answer was sent back: ${cutTo(problems, MOST_PROBLEMS)}`), mark: '✗' },
        ];
      }
      default:
        return [];
    }
  }
}

/** Coloured as a whole, where a person asked for colours in a file. */
function plainTold(told: Told): Line {
  const { form, tone } = told;
  if (form === 'aside' || form === 'words') return [span(plainLine(told), 'dim')];
  return [span(plainLine(told), tone === 'bad' ? 'bad' : 'plain')];
}

function spokenLine(path: StepPath, text: string): Told {
  return { mark: '│', tone: 'dim', path, figures: NO_FIGURES, joint: '  ', text, form: 'words' };
}
