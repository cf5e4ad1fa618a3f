/** What a run has left on its disk, held against what its journal says: records, published files. */
import type { Recorded } from '../../core/events.js';
import { isObject, jsonIn, sha256 } from '../../core/json.js';
import type { Artifact, StepPath } from '../../core/outcome.js';
import { type Step, stepsByIds } from '../../core/plan.js';
import { idsOf } from '../../core/step-path.js';
import { createBlobs } from '../../engine/blobs.js';
import { readJournal } from '../../engine/journal.js';
import { runDirAt } from '../../engine/run-dir.js';
import type { Disk } from '../disk/disk.js';
import { filesOn } from '../disk/layer.js';
import type { Ended, SessionFacts, SimulatedRun } from '../run-facts.js';
import type { Say } from './broken.js';

export function checkJournal(run: SimulatedRun, report: Ended, dir: string, disk: Disk, say: Say): void {
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

export function checkFiles(session: SessionFacts, { status }: Ended, dir: string, disk: Disk, say: Say): void {
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

/** By path, without what the run keeps for itself: its journal, its report, its hidden files. */
export function filesBelow(dir: string, start: string, disk: Disk): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const { name, stats } of disk.list(`${dir}/${start}`)) {
    const path = start === '' ? name : `${start}/${name}`;
    if (start === '' && (name.startsWith('.') || ['events.ndjson', 'run.json', 'report.html'].includes(name))) continue;
    if (stats.isDirectory()) for (const [one, bytes] of filesBelow(dir, path, disk)) files.set(one, bytes);
    else if (stats.isFile()) files.set(path, disk.readFile(`${dir}/${path}`));
  }
  return files;
}
