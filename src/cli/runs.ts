/** pipeline runs: the runs of this project, those with the newest activity first. */
import { cutTo } from '../core/columns.js';
import { plainText } from '../core/plain-text.js';
import { costOfCalls, duration, timeText, tokensBriefly } from '../core/words.js';
import { allRuns } from '../engine/find-run.js';
import { activityOf, newestFirst, type RunFile, readRunFile, sessionStart } from '../engine/run-file.js';
import { type LiveStatus, liveStatus } from '../engine/run-status.js';
import { runsDirOf } from '../load/project.js';
import { openProject } from '../run.js';
import { printJson, printResult, resultColumns, say } from './output.js';
import { table } from './table.js';

export async function runsCommand(skill: string | undefined, options: { readonly json?: boolean }): Promise<void> {
  const rows = runsBelow(runsFolder())
    .filter(({ label }) => skill === undefined || label.startsWith(`${skill}/`))
    .sort(newestFirst);
  if (options.json) return printJson(rows.map(({ label, dir, run, status }) => ({ name: label, dir, ...run, status })));
  if (rows.length === 0) {
    return say(
      skill === undefined
        ? 'There are no runs yet: pipeline run <skill> "<query>"'
        : `There are no runs of "${skill}".`,
    );
  }
  printResult(
    table(
      rows.map(({ label, run, status }) => [
        plainText(label),
        status,
        timeText(activityOf(run)),
        ...figuresOf(run),
        cutTo(plainText(run.query), 50),
      ]),
      resultColumns(),
    ),
  );
}

/** Absolute; of the project here. */
export function runsFolder(): string {
  return runsDirOf(openProject({ cwd: process.cwd(), env: process.env }).dir);
}

export interface ListedRun {
  readonly label: string;
  /** Absolute. */
  readonly dir: string;
  readonly run: RunFile;
  readonly status: LiveStatus;
}

export function runsBelow(root: string): ListedRun[] {
  return allRuns(root).flatMap(({ label, dir }) => {
    const run = readRunFile(dir);
    return run ? [{ label, dir, run, status: liveStatus(run, dir) }] : [];
  });
}

/** How long its last session took; tokens and cost of all. */
function figuresOf(run: RunFile): [string, string, string] {
  const ms = run.ended ? Date.parse(run.ended) - Date.parse(sessionStart(run)) : undefined;
  const took = ms === undefined ? '' : duration(ms);
  if (!run.usage) return [took, '', ''];
  const { inputTokens, outputTokens } = run.usage;
  return [took, tokensBriefly(inputTokens + outputTokens, run.usage), costOfCalls(run.usage)];
}
