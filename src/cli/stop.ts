/** pipeline stop: ends the process that works on a run, from whatever terminal. */
import { plainText } from '../core/plain-text.js';
import { readRunFile } from '../engine/run-file.js';
import { liveStatus } from '../engine/run-status.js';
import { nameOfRun } from '../engine/ways-on.js';
import { AT_ONCE, IN_ORDER, type Stopped, stopRun } from '../stop.js';
import { processesText } from './amounts.js';
import { resumeLineAt } from './go-on.js';
import { namedRun } from './named-run.js';
import { printJson, say } from './output.js';

export interface StopOptions {
  readonly now?: boolean;
  readonly json?: boolean;
}

/** Exits with 1 where there was nothing to stop. */
export async function stopCommand(wanted: string, { now, json }: StopOptions): Promise<void> {
  const dir = namedRun(wanted);
  const stopped = await stopRun(dir, now ? AT_ONCE : IN_ORDER);
  const run = readRunFile(dir);
  const status = run ? liveStatus(run, dir) : 'interrupted';
  const name = nameOfRun(dir);
  const resume = ['done', 'refused'].includes(status) ? undefined : resumeLineAt(dir);
  if (stopped.type === 'idle' && stopped.processes === 0) process.exitCode = 1;
  if (json) return printJson({ run: name, dir, status, ...factsOf(stopped), resume: resume ?? null });
  say(
    [
      firstLine(stopped, plainText(name), status),
      ...leftLines(stopped),
      ...(resume ? [`  go on  ${resume}`] : []),
    ].join('\n'),
  );
}

function firstLine(stopped: Stopped, name: string, status: string): string {
  if (stopped.type === 'idle') {
    return `${stopped.processes > 0 ? '✓' : '✗'} No process works on ${name}: it is ${status}.`;
  }
  const { pid, killed } = stopped;
  return `✓ ${name}: process ${pid} ${killed ? 'was killed' : 'has ended'}, the run is ${status}.`;
}

function leftLines({ processes }: Stopped): string[] {
  return processes === 0 ? [] : [`  ended ${processesText(processes)} that it had left`];
}

function factsOf(stopped: Stopped): object {
  const { processes } = stopped;
  if (stopped.type === 'idle') return { stopped: false, pid: null, killed: false, endedProcesses: processes };
  return { stopped: true, pid: stopped.pid, killed: stopped.killed, endedProcesses: processes };
}
