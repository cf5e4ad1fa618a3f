import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Processes } from '../../src/core/context.js';
import type { Recorded } from '../../src/core/events.js';
import { toFault } from '../../src/core/faults.js';
import { createBlobs } from '../../src/engine/blobs.js';
import { readJournal } from '../../src/engine/journal.js';
import { realFiles } from '../../src/files/layer.js';
import { faultyFiles, type Operation, type Trouble } from '../support/faulty-files.js';
import { project, type Ran, type TestProject } from '../support/project.js';

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
/** So long that the outputs that hold it become side files. */
const QUERY = 'tea '.repeat(6_000);

interface Undisturbed {
  readonly files: ReadonlyMap<string, string>;
  readonly operations: readonly Operation[];
}

async function undisturbed(): Promise<Undisturbed> {
  const files = faultyFiles();
  const at = project({ 'pipeline.yaml': PIPELINE });
  const ran = await at.run({ query: QUERY, files, processes: programsOf(at) });
  expect(ran).toMatchObject({ status: 'done', exit: 0 });
  expect(counted(at)).toEqual(STEPS);
  return { files: contents(ran), operations: files.operations };
}

const contents = (ran: Ran) => new Map(ran.files().map((path) => [path, ran.file(path)]));
const counted = (at: TestProject) => at.read('counter.log').split('\n').slice(0, -1);

it('the pipeline reaches every kind of operation but those that only mend', async () => {
  const { files, operations } = await undisturbed();
  expect([...files.keys()]).toEqual([
    'colours.json',
    'notes/one.txt',
    'page.md',
    'paint/0/painted/red.md',
    'paint/0/red.txt',
    'paint/1/green.txt',
    'paint/1/painted/green.md',
    'run.sh',
  ]);
  expect([...new Set(operations)].sort()).toEqual(
    ['chmod', 'close', 'copy', 'fsync', 'fsyncAsync', 'link', 'mkdir', 'open', 'rename', 'write'].sort(),
  );
});

const AT_ONCE = 4;

describe.each<readonly Trouble[]>([['stop'], ['ENOSPC', 'EIO']])(
  '%s %s at each file operation of journal and artifacts',
  (...kinds) => {
    it('loses no finished step, repeats none but the one in flight, and ends with the same files', async () => {
      const { files, operations } = await undisturbed();
      const points = operations.map((operation, index) => ({ operation, at: index + 1 })).values();
      const tryPoints = async () => {
        for (const { operation, at } of points) {
          const what = kinds[at % kinds.length] as Trouble;
          const where = `${what} at operation ${at} of ${operations.length}, ${operation}`;
          const place = project({ 'pipeline.yaml': PIPELINE, 'counter.log': '' });
          const first = await disturbed(place, what, at);
          expect(first, where).not.toMatch(/bug/);
          const open = openLeaves(eventsIn(place));
          const resumed = await place.run({ query: QUERY, resume: true, processes: programsOf(place) });
          expect(resumed, where).toMatchObject({ status: 'done', exit: 0 });
          expect(contents(resumed), where).toEqual(files);
          const repeated = repeats(counted(place));
          expect([...new Set(counted(place))].sort(), where).toEqual([...STEPS].sort());
          expect(repeated.length, `${where}: ${repeated} of ${open}`).toBeLessThanOrEqual(Math.min(open.length, 1));
          expect(openLeaves(eventsIn(place)), where).toEqual([]);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, tryPoints));
    }, 300_000);
  },
);

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

function repeats(names: readonly string[]): string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}
