/** A stop, a full disk or a bad disk at each file operation of journal and artifacts, one after the other, each followed by a resume. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from '../../src/core/context.js';
import type { Recorded } from '../../src/core/events.js';
import { toFault } from '../../src/core/faults.js';
import { createBlobs } from '../../src/engine/blobs.js';
import { readJournal } from '../../src/engine/journal.js';
import { realFiles } from '../../src/files/layer.js';
import { faultyFiles, type Operation, type Trouble } from '../../test/support/faulty-files.js';
import { project, type Ran, type TestProject } from '../../test/support/project.js';
import type { Row } from '../row.js';
import { trials } from '../trials.js';

const STEPS = ['seed', 'paint red', 'paint green', 'page'];
const PIPELINE = `version: 1
name: t
limits: { max_parallel: 1 }
steps:
  - id: seed
    shell: { command: [seed] }
    output: { type: array, maxItems: 2, items: { type: string } }
    artifacts: [notes/*.txt]
  - id: colours
    set:
      all: \${{ steps.seed.output }}
      long: \${{ [query, query, query] }}
    save: colours.json
  - id: paint
    foreach: \${{ steps.seed.output }}
    shell: { command: [paint, '\${{ item }}'] }
    save: painted/\${{ item }}.md
  - id: page
    shell: { command: [page], stdin: '\${{ steps.paint.output }}' }
    save: page.md
result: \${{ steps.page.output }}
`;
const PROGRAMS: Readonly<Record<string, (work: string, argument: string, stdin: string) => string>> = {
  seed(work) {
    mkdirSync(join(work, 'notes'));
    writeFileSync(join(work, 'notes/one.txt'), 'one');
    writeFileSync(join(work, 'run.sh'), '#!/bin/sh', { mode: 0o700 });
    return '["red","green"]';
  },
  paint(work, colour) {
    writeFileSync(join(work, `${colour}.txt`), colour);
    return `painted ${colour}`;
  },
  page: (_work, _argument, stdin) => stdin,
};
/** So long that the outputs that hold it become side files. */
const QUERY = 'tea '.repeat(6_000);
const AT_ONCE = 4;

export const row: Row = {
  name: 'operations',
  promise: 'a stop, ENOSPC or EIO at each file operation of journal and artifacts, then a resume',
  target: 'all recover: no finished step lost, none but the one in flight repeated, the same files',
  async prove(size) {
    const { files, operations } = await undisturbed();
    const kinds: readonly Trouble[] = ['stop', 'ENOSPC', 'EIO'];
    const points = operations.flatMap((operation, index) => kinds.map((what) => ({ what, at: index + 1, operation })));
    // Small: each operation once, the three kinds in turn.
    const tried = size === 'large' ? points : points.filter((_, index) => index % 3 === Math.floor(index / 3) % 3);
    return trials(tried.length, AT_ONCE, async (index) => {
      const { what, at, operation } = tried[index] as (typeof tried)[number];
      const fault = await tryAt(what, at, files);
      return fault && `${what} at operation ${at} of ${operations.length}, ${operation}: ${fault}`;
    });
  },
  guards: [
    {
      says: 'a torn tail is cut off',
      file: 'src/engine/session.ts',
      find: 'cutTail(runDir.journal, end.wholeBytes);',
      replace: '',
    },
    {
      says: 'nothing is written behind half a line',
      file: 'src/engine/journal.ts',
      find: `        cutHalfLine(files, fd, wholeBytes);
        throw fail(error);`,
      replace: '        void error;',
    },
  ],
};

/** What a run on a good disk leaves and asks of the disk. */
export async function undisturbed(): Promise<{
  readonly files: ReadonlyMap<string, string>;
  readonly operations: readonly Operation[];
}> {
  const files = faultyFiles();
  const at = project({ 'pipeline.yaml': PIPELINE });
  const ran = await at.run({ query: QUERY, files, processes: programsOf(at) });
  const counts = counted(at);
  if (ran.exit !== 0 || counts.join() !== STEPS.join()) throw new Error(`undisturbed: ${ran.status}, ${counts}`);
  return { files: contents(ran), operations: files.operations };
}

async function tryAt(what: Trouble, at: number, files: ReadonlyMap<string, string>): Promise<string | undefined> {
  const place = project({ 'pipeline.yaml': PIPELINE, 'counter.log': '' });
  const first = await disturbed(place, what, at);
  if (first.includes('bug')) return first;
  const open = openLeaves(eventsIn(place));
  const resumed = await place.run({ query: QUERY, resume: true, processes: programsOf(place) });
  if (resumed.exit !== 0) return `the resume: ${resumed.status}, ${resumed.fault?.message}`;
  if (JSON.stringify([...contents(resumed)]) !== JSON.stringify([...files])) return 'other files';
  const counts = counted(place);
  const missing = STEPS.filter((step) => !counts.includes(step));
  if (missing.length > 0) return `never done: ${missing}`;
  const repeated = counts.filter((name, index) => counts.indexOf(name) !== index);
  if (repeated.length > Math.min(open.length, 1)) return `repeated ${repeated}, though in flight were ${open}`;
  const left = openLeaves(eventsIn(place));
  return left.length > 0 ? `left open: ${left}` : undefined;
}

/** Three programs in this process: some hundred runs would start too many real ones. Each says in the project that it was run. */
function programsOf(place: TestProject): Processes {
  return {
    async run({ argv: [name = '', argument = ''], work, stdin = '' }) {
      appendFileSync(join(place.dir, 'counter.log'), `${`${name} ${argument}`.trim()}\n`);
      const said = PROGRAMS[name]?.(work, argument, String(stdin)) ?? '';
      return { code: 0, signal: undefined, stdout: Buffer.from(said), stderrTail: '', truncated: false };
    },
  };
}

const contents = (ran: Ran) => new Map(ran.files().map((path) => [path, ran.file(path)]));
const counted = (at: TestProject) => at.read('counter.log').split('\n').slice(0, -1);

/** The code of what it ended with, or its status. */
async function disturbed(place: TestProject, what: Trouble, at: number): Promise<string> {
  try {
    const ran = await place.run({ query: QUERY, files: faultyFiles({ what, at }), processes: programsOf(place) });
    return ran.fault ? `${ran.fault.code}: ${ran.fault.message}` : ran.status;
  } catch (error) {
    const { code, message } = toFault(error);
    return `${code}: ${message}`;
  }
}

/** Of the one run that is there, read as a resume reads it. */
function eventsIn(place: TestProject): Recorded[] {
  const runs = join(place.dir, 'skill_run/t');
  const names = existsSync(runs) ? readdirSync(runs, { withFileTypes: true }) : [];
  const run = names.find((entry) => entry.isDirectory());
  const events: Recorded[] = [];
  if (!run) return events;
  const journal = join(runs, run.name, 'events.ndjson');
  const blobs = createBlobs(join(runs, run.name, '.steps/.blobs'), realFiles);
  if (existsSync(journal)) readJournal(journal, blobs, (event) => events.push(event));
  return events;
}

/** Paths of the shell steps that were begun and not settled. */
function openLeaves(events: readonly Recorded[]): string[] {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'step_started' && event.key !== '' && event.path !== 'colours') open.add(event.path);
    else if (event.type === 'step_done' || event.type === 'step_failed') open.delete(event.path);
  }
  return [...open];
}
