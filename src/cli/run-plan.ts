/** pipeline run --plan: shows what a run would do, then asks whether to start. */
import { Fault } from '../core/faults.js';
import { plainLines } from '../core/plain-text.js';
import { askAt, deskHere } from './ask.js';
import { type DryRunOptions, dryRunCommand } from './dry-run.js';
import { say, stderrScreen } from './output.js';

/** Whether the person at the terminal wants it to run; if not, nothing was run and the exit code says so. */
export async function isAgreed(target: string, query: string, options: DryRunOptions): Promise<boolean> {
  if (options.json)
    throw new Fault('input.invalid', '--plan asks a person, and --json is for programs', { hint: HINT });
  const desk = deskHere(stderrScreen().color, () => () => undefined);
  if (!desk)
    throw new Fault('run.unanswered', '--plan asks whether to start, and nobody is at a terminal', { hint: HINT });
  await dryRunCommand(target, query, options, (text) => say(plainLines(text)));
  if (process.exitCode) return false;
  const question = { path: '', title: `Run ${target}?`, ask: '', choices: ['yes', 'no'] };
  const { choice } = await askAt(desk, '')(question, new AbortController().signal);
  if (choice === 'yes') return true;
  say('Nothing was run.');
  process.exitCode = 1;
  return false;
}

const HINT = 'pipeline run --dry-run only shows the plan; without --plan it runs at once.';
