/** pipeline explain: why a step of a run ran, ran again, was reused or skipped; without a step, a line for each. */
import fs from 'node:fs';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { nearest } from '../core/problems.js';
import { shellWord } from '../core/shell-word.js';
import { idsOf } from '../core/step-path.js';
import { runDirAt } from '../engine/run-dir.js';
import { readRunFile } from '../engine/run-file.js';
import { readRecords } from '../engine/run-records.js';
import { liveStatus } from '../engine/run-status.js';
import { nameOfRun } from '../engine/ways-on.js';
import { bounded } from '../explain/bounded.js';
import { type Explanation, explained, idsNotReached, leafIds, pathsMeant } from '../explain/explain.js';
import { explanationsText } from '../explain/grouped-text.js';
import { type History, historyOf } from '../explain/history.js';
import { namedRun } from './named-run.js';
import { here, printJson, printResult } from './output.js';

interface ExplainOptions {
  readonly json?: boolean;
}

export function explainCommand(run: string, step: string | undefined, options: ExplainOptions): void {
  const dir = namedRun(run);
  const history = historyOf(readRecords(dir));
  if (step === undefined) explainAll(dir, history, options);
  else explainStep(dir, history, step, options);
}

function explainStep(dir: string, history: History, step: string, { json }: ExplainOptions): void {
  const all = explanationsOf(history, pathsMeant(history, step));
  if (all.length === 0 && !idsNotReached(history).includes(step)) throw unknownStep(history, step);
  if (json) printJson({ run: dir, step, steps: all.map(bounded) });
  else if (all.length === 0) printResult(notReached(step, dir));
  else printResult(explanationsText(step, all, (path) => filesToOpen(dir, path)));
}

/** The first line of what would be said of each step. */
function explainAll(dir: string, history: History, { json }: ExplainOptions): void {
  const steps = [...leafIds(history)].map(([ids, paths]) => ({ ids, all: explanationsOf(history, paths) }));
  const missing = idsNotReached(history);
  if (json) {
    printJson({ run: dir, steps: steps.flatMap(({ all }) => all.map(bounded)), notReached: missing });
    return;
  }
  const lines = steps.map(({ ids, all }) => explanationsText(ids, all, () => []).split('\n', 1)[0] ?? '');
  const more = `why  pipeline explain ${shellWord(nameOfRun(dir))} <step>`;
  printResult([...lines, ...missing.map((id) => notReached(id, dir)), '', more].join('\n'));
}

function explanationsOf(history: History, paths: readonly string[]): Explanation[] {
  return paths.flatMap((path) => explained(history, path) ?? []);
}

function notReached(id: string, dir: string): string {
  const run = readRunFile(dir);
  return `${plainText(id)}  not reached${run ? `: the run is ${liveStatus(run, dir)}` : ''}`;
}

/** Of a step that failed: where more is said. */
function filesToOpen(dir: string, path: string): string[] {
  const { stderr, transcript } = runDirAt(dir).step(path);
  return [stderr, transcript].filter((file) => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0).map(here);
}

function unknownStep(history: History, step: string): Fault {
  const paths = [...history.visits.keys()];
  const reached = paths.map((path) => idsOf(path).split('/').at(-1) ?? path);
  const ids = [...new Set([...reached, ...idsNotReached(history)])];
  const guess = nearest(step, [...ids, ...paths]);
  const list = `Steps: ${ids.slice(0, 24).join(', ')}${ids.length > 24 ? ', …' : ''}.`;
  const hint = guess === undefined ? list : `Did you mean "${guess}"? ${list}`;
  return new Fault('input.unknown', `the run has no step "${step}"`, { hint });
}
