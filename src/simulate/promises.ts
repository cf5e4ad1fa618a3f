/** What every run keeps, whatever a model says and whenever a process dies: held against what a simulated run did. */

import type { Recorded } from '../core/events.js';
import { FAULTS, toFault } from '../core/faults.js';
import { isObject, type Json, sha256 } from '../core/json.js';
import type { Artifact, StepPath } from '../core/outcome.js';
import type { Plan, Step } from '../core/plan.js';
import { stepsIn } from '../core/plan.js';
import { compileSchema } from '../core/schema.js';
import { idsOf } from '../core/step-path.js';
import { createBlobs } from '../engine/blobs.js';
import { readJournal } from '../engine/journal.js';
import { runDirAt } from '../engine/run-dir.js';
import { type Broken, PROMISES, type PromiseName } from './broken.js';
import { type Disk, filesOn } from './disk.js';
import type { Ended, SessionFacts, SimulatedRun } from './simulated-run.js';

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

type Say = (what: PromiseName, said: string) => void;

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

/** By ids; of a child pipeline below the step that runs it. */
export function stepsByIds(plan: Plan): ReadonlyMap<string, Step> {
  const known = maps.get(plan);
  if (known) return known;
  const map = new Map<string, Step>();
  const visit = (steps: readonly Step[], start: string) => {
    for (const step of steps) {
      map.set(`${start}${step.id}`, step);
      visit(stepsIn(step), `${start}${step.id}/`);
    }
  };
  visit(plan.steps, '');
  maps.set(plan, map);
  return map;
}

const maps = new WeakMap<Plan, ReadonlyMap<string, Step>>();

type Standing = 'done' | 'skipped' | 'blocked' | 'failed' | 'ended' | 'open';

function checkSession({ events, plan, end }: SessionFacts, number: number, say: Say): void {
  const steps = stepsByIds(plan);
  const standing = new Map<StepPath, Standing>();
  let ended: string | undefined;
  for (const event of events) {
    if ('fault' in event && event.fault?.code === 'internal.bug') say('bug', event.fault.message);
    if (!('path' in event)) continue;
    const { path } = event;
    const step = steps.get(idsOf(path));
    switch (event.type) {
      case 'step_started': {
        if (ended !== undefined) say('after', `"${path}" was started after "${ended}" had ended the run`);
        if (step) {
          checkNeeds(path, step, standing, plan, say);
          if (step.body.type === 'leaf' && event.attempt > step.retry.attempts) {
            say('bounds', `"${path}" was tried ${event.attempt} times; it may be ${step.retry.attempts}`);
          }
        }
        standing.set(path, 'open');
        for (const one of [...standing.keys()])
          if (event.key === '' && one.startsWith(`${path}/`)) standing.delete(one);
        break;
      }
      case 'loop':
        if (step?.foreach && event.of === 'items' && event.count > step.foreach.maxItems) {
          say('bounds', `"${path}" went over ${event.count} items; max_items is ${step.foreach.maxItems}`);
        }
        if (step?.repeat && event.of === 'rounds' && event.count > step.repeat.max) {
          say('bounds', `"${path}" began round ${event.count}; max is ${step.repeat.max}`);
        }
        break;
      case 'tool_started':
        if (ended !== undefined) say('after', `"${path}" called ${event.name} after "${ended}" had ended the run`);
        break;
      case 'step_done':
      case 'step_reused':
        standing.set(path, 'done');
        if (event.type === 'step_done' && step?.foreach && !/\/\d+$/.test(path))
          checkItems(path, step, event.output, events, say);
        break;
      case 'step_failed':
        standing.set(path, 'failed');
        break;
      case 'step_skipped':
        standing.set(path, event.reason.startsWith('blocked by') ? 'blocked' : 'skipped');
        break;
      case 'step_ended':
        standing.set(path, 'ended');
        if (!isOfChild(path, steps)) ended = path;
        break;
      default:
        break;
    }
  }
  if (end.type === 'ended') checkStatus(end.report, plan, events, standing, number, say);
}

function isOfChild(path: StepPath, steps: ReadonlyMap<string, Step>): boolean {
  const parts = idsOf(path).split('/');
  return parts.some((_, at) => steps.get(parts.slice(0, at).join('/'))?.body.type === 'child');
}

function checkNeeds(path: StepPath, step: Step, standing: ReadonlyMap<StepPath, Standing>, plan: Plan, say: Say): void {
  const steps = stepsByIds(plan);
  const ids = idsOf(path).replace(/[^/]+$/, '');
  const mayFail = (id: string) => steps.get(`${ids}${id}`)?.onError === 'continue';
  const home = path.replace(/(\/\d+)+$/, '').replace(/[^/]+$/, '');
  for (const fence of fencesBefore(step, steps.get(ids.slice(0, -1)), plan)) {
    const now = standing.get(`${home}${fence}`);
    if (now !== 'done' && now !== 'skipped') say('needs', `"${path}" was started before "${fence}" had let it`);
  }
  for (const id of step.after) {
    const need = standing.get(`${home}${id}`);
    const isFine = need === 'done' || need === 'skipped' || (need === 'failed' && mayFail(id));
    if (need === 'blocked')
      say('needs', `"${path}" was started although "${id}", which it needs, was blocked by a failure`);
    else if (!isFine)
      say('needs', `"${path}" was started although "${id}", which it needs, is ${need ?? 'not settled'}`);
  }
}

/** Gates and ends that stand above a step in its list: it waits for them, whatever it says of its needs. */
function fencesBefore(step: Step, around: Step | undefined, plan: Plan): string[] {
  const list = around ? stepsIn(around) : plan.steps;
  const above = list.slice(0, Math.max(0, list.indexOf(step)));
  return above.flatMap(({ id, body }) => (body.type === 'leaf' && body.kind.fence ? [id] : []));
}

function checkItems(path: StepPath, step: Step, output: Json, events: readonly Recorded[], say: Say): void {
  const loop = events.findLast((event) => event.type === 'loop' && event.path === path && event.of === 'items');
  if (loop?.type !== 'loop' || !Array.isArray(output)) return;
  const failed = new Set<StepPath>();
  for (const event of events) {
    if (!('path' in event) || !event.path.startsWith(`${path}/`)) continue;
    if (!/^\d+$/.test(event.path.slice(path.length + 1))) continue;
    if (event.type === 'step_failed') failed.add(event.path);
    if (event.type === 'step_done' || event.type === 'step_reused') failed.delete(event.path);
  }
  if (output.length + failed.size !== loop.count) {
    say(
      'done',
      `"${path}" has ${loop.count} items, of which ${output.length} are in its output and ${failed.size} failed`,
    );
  }
  const { minSuccess } = step.foreach ?? {};
  if (!minSuccess) return;
  const needed = 'count' in minSuccess ? minSuccess.count : Math.ceil(minSuccess.share * loop.count - 1e-9);
  if (output.length < needed)
    say('done', `"${path}" is done with ${output.length} items; min_success asks for ${needed}`);
}

function checkStatus(
  report: Ended,
  plan: Plan,
  events: readonly Recorded[],
  standing: ReadonlyMap<StepPath, Standing>,
  number: number,
  say: Say,
): void {
  const { status, census, fault } = report;
  const where = number === 0 ? '' : ` in session ${number + 1}`;
  const failures = [...standing].filter(([, now]) => now === 'failed').map(([path]) => path);
  if (status === 'done' && !plan.acceptPartial) {
    if (failures.length > 0) say('done', `the run is done${where}, and "${failures[0]}" failed in it`);
    if (census.failed > 0) say('done', `the run is done${where} with ${census.failed} failed steps`);
  }
  if (status === 'done' || status === 'partial') {
    const hasEnd = events.some((event) => event.type === 'step_ended' && !isOfChild(event.path, stepsByIds(plan)));
    const left = hasEnd ? undefined : leftOpen(standing);
    if (left !== undefined) say('done', `the run is ${status}${where}, and "${left}" is not at its end`);
    for (const { id } of hasEnd ? [] : plan.steps) {
      const now = standing.get(id);
      if (now !== 'done' && now !== 'skipped' && now !== 'failed') {
        say('done', `the run is ${status}${where}, and "${id}" is ${now ?? 'never begun'}`);
      }
    }
  }
  if (status === 'refused' && !events.some((event) => event.type === 'step_ended')) {
    say('end', `the run is refused${where}, and no end and no gate said so`);
  }
  if (status === 'limit' && fault?.code !== 'run.limit' && fault?.code !== 'provider.exhausted') {
    say('end', `the run ended by a limit${where} with ${fault?.code}`);
  }
  const sum = census.done + census.failed + census.skipped + census.open;
  if (sum !== census.asked) say('end', `the census does not add up${where}: ${JSON.stringify(census)}`);
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
        `"${event.path}" ${event.type === 'step_done' ? 'gave' : 'took again'} ${cut(event.output)}: ${complaints[0]?.message}`,
      );
  }
}

function cut(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}

function checkJournal(run: SimulatedRun, report: Ended, dir: string, disk: Disk, say: Say): void {
  const { journal, runJson, blobs } = runDirAt(dir);
  const events = run.sessions.flatMap((session) => session.events);
  // A journal that no session has read again is only counted: reading it takes as long as a step.
  if (run.sessions.length === 1) {
    const lines = linesIn(disk.readFile(journal));
    const last = events.findLast(({ type }) => type !== 'notice');
    if (lines !== events.length) say('journal', `${events.length} records were told, and ${lines} are in it`);
    if (last?.type !== 'run_ended' || last.status !== report.status) say('journal', `its last record is ${last?.type}`);
  } else {
    const records: Recorded[] = [];
    try {
      const end = readJournal(journal, createBlobs(blobs, filesOn(disk)), (record) => void records.push(record));
      if (end.tornBytes > 0) say('journal', `its last ${end.tornBytes} bytes are torn`);
    } catch (error) {
      say('journal', error instanceof Error ? error.message : String(error));
      return;
    }
    const last = records.findLast(({ type }) => type !== 'notice');
    if (last?.type !== 'run_ended' || last.status !== report.status) say('journal', `its last record is ${last?.type}`);
    const told = new Set(events.map(({ seq }) => seq));
    for (const { seq } of records) told.delete(seq);
    if (told.size > 0) say('journal', `${told.size} records were told and are not in it`);
  }
  const file = jsonIn(disk.readFile(runJson).toString());
  if (!isObject(file) || file.status !== report.status)
    say('journal', 'run.json says something else than the run came to');
}

/** Half a line at its end counts as one. */
function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return bytes.length === 0 || bytes[bytes.length - 1] === 10 ? lines : lines + 1;
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** A step that was begun, and neither came to an end nor stands in something that failed. */
function leftOpen(standing: ReadonlyMap<StepPath, Standing>): StepPath | undefined {
  const isCut = (path: StepPath) =>
    [...standing].some(([around, now]) => (now === 'failed' || now === 'skipped') && path.startsWith(`${around}/`));
  return [...standing].find(([path, now]) => now === 'open' && !isCut(path))?.[0];
}

/** What the journal says is published, by path: of the last session. Undefined where a loop failed: what it had published stays open. */
function publishedBy({ events, plan }: SessionFacts): Map<string, Artifact> | undefined {
  const steps = stepsByIds(plan);
  /** By the step's place without its rounds: a later round takes the place of an earlier one. */
  const by = new Map<string, { readonly artifacts: readonly Artifact[]; isStale: boolean }>();
  for (const event of events) {
    if (event.type === 'step_failed' && steps.get(idsOf(event.path))?.repeat) return undefined;
    if (event.type === 'loop' && event.of === 'rounds' && event.count > 1) {
      const start = `${ownerOf(event.path, steps)}/`;
      for (const [owner, one] of by) if (owner.startsWith(start)) one.isStale = true;
    }
    if (event.type !== 'step_done' && event.type !== 'step_reused') continue;
    const owner = ownerOf(event.path, steps);
    if (event.key === '')
      for (const [one, { isStale }] of by) if (isStale && one.startsWith(`${owner}/`)) by.delete(one);
    const name = event.key === '' ? `${owner}#saved` : owner;
    by.set(name, { artifacts: event.artifacts, isStale: false });
  }
  return new Map([...by.values()].flatMap(({ artifacts }) => artifacts).map((artifact) => [artifact.path, artifact]));
}

function ownerOf(path: StepPath, steps: ReadonlyMap<string, Step>): string {
  const kept: string[] = [];
  let ids = '';
  let isItemNext = false;
  for (const part of path.split('/')) {
    if (!/^\d+$/.test(part)) {
      ids = ids === '' ? part : `${ids}/${part}`;
      isItemNext = steps.get(ids)?.foreach !== undefined;
      kept.push(part);
    } else {
      if (isItemNext) kept.push(part);
      isItemNext = false;
    }
  }
  return kept.join('/');
}

function checkFiles(session: SessionFacts, { status }: Ended, dir: string, disk: Disk, say: Say): void {
  const published = status === 'done' || status === 'partial' ? publishedBy(session) : undefined;
  if (!published) return;
  const there = filesBelow(dir, '', disk);
  for (const { path, sha256: hash } of published.values()) {
    const bytes = there.get(path);
    if (!bytes) say('files', `${path} was published and is not there`);
    else if (sha256(bytes) !== hash) say('files', `${path} is not what was published`);
  }
  for (const path of there.keys())
    if (!published.has(path)) say('files', `${path} is there, and no step has published it`);
}

function filesBelow(dir: string, start: string, disk: Disk): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const { name, stats } of disk.list(`${dir}/${start}`)) {
    const path = start === '' ? name : `${start}/${name}`;
    if (start === '' && (name.startsWith('.') || ['events.ndjson', 'run.json', 'report.html'].includes(name))) continue;
    if (stats.isDirectory()) for (const [one, bytes] of filesBelow(dir, path, disk)) files.set(one, bytes);
    else if (stats.isFile()) files.set(path, disk.readFile(`${dir}/${path}`));
  }
  return files;
}

/** An `effect: once` step that was begun, and of which no record says how it ended, is not begun again without a person's word. */
function checkOnce({ sessions }: SimulatedRun, say: Say): void {
  const open = new Set<StepPath>();
  for (const { events, retriesUnknown } of sessions) {
    for (const event of events) {
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

/** What two runs with the same choices must have in common. */
export function outcomeOf(run: SimulatedRun, disk: Disk): Json | undefined {
  const last = run.sessions.at(-1);
  if (last?.end.type !== 'ended' || run.dir === undefined) return undefined;
  const { status, outcome, result, exit } = last.end.report;
  if (status === 'limit' || status === 'cancelled' || status === 'waiting') return undefined;
  if (hasTwins(run)) return undefined;
  const isWhole = status === 'done' || status === 'partial';
  const outputs: Record<string, Json> = {};
  for (const event of last.events) {
    if (event.type === 'step_done' || event.type === 'step_reused') outputs[event.path] = event.output;
  }
  const files = isWhole ? [...filesBelow(run.dir, '', disk)].map(([path, bytes]) => [path, sha256(bytes)]) : [];
  return {
    status,
    outcome,
    exit,
    result: timeless(result),
    ...(isWhole ? { outputs: timeless(outputs), files: Object.fromEntries(files) } : {}),
  };
}

/** Items of a loop with the same key stand for each other: which of them has which result is left open. */
function hasTwins({ sessions }: SimulatedRun): boolean {
  const paths = new Map<string, StepPath>();
  for (const { events } of sessions) {
    for (const event of events) {
      if (event.type !== 'step_started' && event.type !== 'step_reused') continue;
      if (event.family === undefined || event.key === '') continue;
      const name = `${event.family} ${event.key}`;
      const other = paths.get(name);
      if (other !== undefined && other !== event.path) return true;
      paths.set(name, event.path);
    }
  }
  return false;
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

function timeless(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replace(TIME, 'T')) as Json;
}
