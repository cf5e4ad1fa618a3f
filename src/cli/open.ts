/** pipeline open: the report of a run, in the browser; where there is none, its path. */
import { existsSync } from 'node:fs';
import { Fault } from '../core/faults.js';
import { lockHolder } from '../engine/lock.js';
import { runDirAt } from '../engine/run-dir.js';
import { nameOfRun } from '../engine/ways-on.js';
import { openOnDesktop } from '../machine.js';
import { namedRun } from './named-run.js';
import { printJson, printResult, say } from './output.js';

export async function openCommand(
  name: string,
  options: { readonly print?: boolean; readonly json?: boolean },
): Promise<void> {
  const dir = namedRun(name);
  const { report } = runDirAt(dir);
  const run = nameOfRun(dir);
  if (!existsSync(report)) throw noReport(run, dir);
  const opened = options.print ? undefined : await openOnDesktop(report, process.env);
  const reason = opened?.type === 'no' ? opened.reason : undefined;
  if (options.json) {
    const isOpened = opened?.type === 'opened';
    return printJson({ run, dir, report, opened: isOpened, ...(reason === undefined ? {} : { reason }) });
  }
  printResult(report);
  if (opened?.type === 'opened') say('opened');
  if (reason !== undefined) say(`not opened: ${reason}. Open the file above in a browser.`);
}

function noReport(run: string, dir: string): Fault {
  if (lockHolder(dir)) {
    return new Fault('input.unknown', `The run ${run} goes on, and has no report yet.`, {
      hint: `Watch it: pipeline logs ${run} -f`,
    });
  }
  return new Fault('input.unknown', `The run ${run} has no report.html.`, {
    hint: `What happened in it: pipeline logs ${run}`,
  });
}
