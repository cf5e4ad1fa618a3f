/** pipeline explain: why a step of a run ran, ran again, was reused or skipped. */
import fs from 'node:fs';
import { Fault } from '../core/faults.js';
import { nearest } from '../core/problems.js';
import { idsOf } from '../core/step-path.js';
import { runDirAt } from '../engine/run-dir.js';
import { readRecords } from '../engine/run-records.js';
import { bounded } from '../explain/bounded.js';
import { explained, pathsMeant } from '../explain/explain.js';
import { explanationsText } from '../explain/grouped-text.js';
import { type History, historyOf } from '../explain/history.js';
import { namedRun } from './named-run.js';
import { here, printJson, printResult } from './output.js';

export function explainCommand(run: string, step: string, options: { readonly json?: boolean }): void {
  const dir = namedRun(run);
  const history = historyOf(readRecords(dir));
  const paths = pathsMeant(history, step);
  if (paths.length === 0) throw unknownStep(history, step);
  const all = paths.flatMap((path) => explained(history, path) ?? []);
  if (options.json) printJson({ run: dir, step, steps: all.map(bounded) });
  else printResult(explanationsText(step, all, (path) => filesToOpen(dir, path)));
}

/** Of a step that failed: where more is said. */
function filesToOpen(dir: string, path: string): string[] {
  const { stderr, transcript } = runDirAt(dir).step(path);
  return [stderr, transcript].filter((file) => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0).map(here);
}

function unknownStep(history: History, step: string): Fault {
  const paths = [...history.visits.keys()];
  const ids = [...new Set(paths.map((path) => idsOf(path).split('/').at(-1) ?? path))];
  const guess = nearest(step, [...ids, ...paths]);
  const list = `Steps: ${ids.slice(0, 24).join(', ')}${ids.length > 24 ? ', …' : ''}.`;
  const hint = guess === undefined ? list : `Did you mean "${guess}"? ${list}`;
  return new Fault('input.unknown', `the run has no step "${step}"`, { hint });
}
