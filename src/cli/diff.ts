/** pipeline diff: what differs between two runs. Exits as diff(1) does: 0 for equal, 1 for different, 2 for trouble. */
import { basename } from 'node:path';
import { plainText } from '../core/plain-text.js';
import { readRunFile } from '../engine/run-file.js';
import { readRecords } from '../engine/run-records.js';
import { bounded } from '../explain/bounded.js';
import { compareRuns, type RunComparison } from '../explain/compare-runs.js';
import { comparisonText } from '../explain/compare-runs-text.js';
import { namedRun } from './named-run.js';
import { here, printJson, printResult } from './output.js';

export function diffCommand(
  runA: string,
  runB: string,
  options: { readonly json?: boolean; readonly all?: boolean },
): void {
  const dirs = [namedRun(runA), namedRun(runB)] as const;
  const compared = compareRuns(readRecords(dirs[0]), readRecords(dirs[1]));
  process.exitCode = compared.isEqual ? 0 : 1;
  const all = options.all ?? false;
  if (options.json) printJson(document(compared, dirs, all));
  else printResult(comparisonText(compared, [labelOf(dirs[0]), labelOf(dirs[1])], { all }));
}

/** As `pipeline runs` names it. */
function labelOf(dir: string): string {
  const skill = readRunFile(dir)?.skill;
  return plainText(skill === undefined ? here(dir) : `${skill}/${basename(dir)}`);
}

function document(compared: RunComparison, runs: readonly string[], all: boolean): unknown {
  const uneven = compared.steps.filter(({ isEqual }) => !isEqual);
  const equalSteps = compared.steps.length - uneven.length;
  return bounded({ runs, ...compared, equalSteps, steps: all ? compared.steps : uneven });
}
