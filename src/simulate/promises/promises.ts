/** What every run keeps, whatever a model says and whenever a process dies: held against what a simulated run did. */
import type { Recorded } from '../../core/events.js';
import { beginningOf } from '../../core/excerpt.js';
import { FAULTS, toFault } from '../../core/faults.js';
import type { StepPath } from '../../core/outcome.js';
import { type Plan, stepsByIds } from '../../core/plan.js';
import { compileSchema } from '../../core/schema.js';
import { idsOf } from '../../core/step-path.js';
import type { Disk } from '../disk/disk.js';
import type { SimulatedRun } from '../run-facts.js';
import { type Broken, PROMISES, type PromiseName, type Say } from './broken.js';
import { checkSession } from './in-order.js';
import { checkFiles, checkJournal } from './left-on-disk.js';

/** Of a value. */
const WIDEST = 120;

export async function brokenPromises(run: SimulatedRun, disk: Disk): Promise<Broken[]> {
  const broken: Broken[] = [...run.broken];
  const say = (what: PromiseName, said: string) => void broken.push({ what: PROMISES[what], said });
  for (const [number, session] of run.sessions.entries()) checkSession(session, number, say);
  checkEnd(run, say);
  for (const { plan, events } of run.sessions.slice(-1)) await checkOutputs(plan, events, say);
  const last = run.sessions.at(-1);
  if (last?.end.type === 'ended' && run.dir !== undefined) {
    checkJournal(run, last.end.report, run.dir, disk, say);
    checkFiles(last, last.end.report, run.dir, disk, say);
  }
  checkOnce(run, say);
  return broken;
}

function checkEnd({ sessions }: SimulatedRun, say: Say): void {
  for (const { end, isDiskFailed: isOfDisk } of sessions) {
    if (end.type === 'hung') say('end', 'it waits for something that never comes');
    if (end.type === 'thrown') {
      const { error } = end;
      if (!isOfDisk || toFault(error).code === 'internal.bug')
        say('bug', `it threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
    if (end.type !== 'ended') continue;
    const { report } = end;
    if (report.fault?.code === 'internal.bug') say('bug', report.fault.message);
    if (report.fault && report.status !== 'failed' && FAULTS[report.fault.code].exit === 1) {
      say('end', `it ended as ${report.status} with the fault ${report.fault.code}`);
    }
  }
}

async function checkOutputs(plan: Plan, events: readonly Recorded[], say: Say): Promise<void> {
  const steps = stepsByIds(plan);
  for (const event of events) {
    if (event.type !== 'step_done' && event.type !== 'step_reused') continue;
    const step = steps.get(idsOf(event.path));
    const isWhole = !step?.foreach || /\/\d+$/.test(event.path);
    if (!step?.output || !isWhole) continue;
    const complaints = (await compileSchema(step.output.json))(event.output);
    if (complaints.length > 0)
      say(
        'output',
        `"${event.path}" ${event.type === 'step_done' ? 'gave' : 'took again'} ${beginningOf(JSON.stringify(event.output), WIDEST)}: ${complaints[0]?.message}`,
      );
  }
}

/** An `effect: once` step that was begun, and of which no record says how it ended, is not begun again without a person's word. */
function checkOnce({ sessions }: SimulatedRun, say: Say): void {
  const open = new Set<StepPath>();
  let told = 0;
  for (const { events, retriesUnknown } of sessions) {
    for (const event of [...events].sort((a, b) => a.seq - b.seq)) {
      // A kill between a record and its telling: the journal knows an end that nobody was told.
      if (event.seq > told + 1) open.clear();
      told = event.seq;
      if (!('path' in event)) continue;
      if (event.type === 'step_started' && event.once) {
        if (open.has(event.path) && !retriesUnknown) {
          say(
            'once',
            `"${event.path}" has an effect that happens once; it was begun, nobody knows how it ended, and it was begun again`,
          );
        }
        open.add(event.path);
      }
      if (event.type === 'step_done' || event.type === 'step_failed' || event.type === 'step_retry')
        open.delete(event.path);
    }
  }
}
