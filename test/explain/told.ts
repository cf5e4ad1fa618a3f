/** Runs of a test project, told as the command line tells them; times and durations left out. */
import { readRecords } from '../../src/engine/run-records.js';
import { compareRuns } from '../../src/explain/compare-runs.js';
import { comparisonText } from '../../src/explain/compare-runs-text.js';
import { type Explanation, explained, pathsMeant } from '../../src/explain/explain.js';
import { explanationsText } from '../../src/explain/grouped-text.js';
import { historyOf } from '../../src/explain/history.js';

interface Folder {
  readonly dir: string;
}

export function explanations({ dir }: Folder, step: string): Explanation[] {
  const history = historyOf(readRecords(dir));
  return pathsMeant(history, step).flatMap((path) => explained(history, path) ?? []);
}

export function why(run: Folder, step: string): string {
  return timeless(explanationsText(step, explanations(run, step), () => []));
}

export function difference(a: Folder, b: Folder, all = false): string {
  return timeless(comparisonText(compareRuns(readRecords(a.dir), readRecords(b.dir)), ['A', 'B'], { all }));
}

function timeless(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME')
    .replace(/\b\d+(\.\d+)? m?s\b/g, 'MS')
    .replace(/\S*pipeline-test-\w+/g, 'PROJECT');
}
