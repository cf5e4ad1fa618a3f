/** A run is killed with SIGKILL at a random moment, some resumes of it as well, and goes on until it is done. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askingAt, scripted } from '../../test/e2e/script-server.js';
import { bodyOf, type ChatRequest } from '../../test/support/chat.js';
import { difference, type Ran, type Started, type Workspace, workspace } from '../../test/support/cli.js';
import { type Answer, type MockRequest, type MockServer, mockServer } from '../../test/support/mock-server.js';
import { type Begun, begunIn, doneAgain, lostWork, openLeaves, repeats } from '../begun.js';
import { killAllOf, leftAfter } from '../left-processes.js';
import { randomFrom } from '../random.js';
import type { Row } from '../row.js';
import { trials } from '../trials.js';

const FIXTURE = 'kill-row';
const PIPELINES = ['kill-steps', 'kill-agents', 'kill-groups'];
const QUERY = 'the house';
/** So that a round can be cut off while its model thinks. */
const MODEL_MS = 10;
const LONGEST_STEP_MS = 80;
const AT_ONCE = 3;
const POLL_MS = 2;
/** Of the processes that the killed session left; the resume has ended them before its first step. */
const SWEPT_WITHIN_MS = 100;

interface Whole {
  readonly pipeline: string;
  readonly place: Workspace;
  readonly result: string;
  readonly events: number;
  readonly ms: number;
  readonly begun: number;
}

export const row: Row = {
  name: 'kill',
  promise: 'kill -9 at a random moment, resumed until done; three pipelines',
  target: '0 finished steps lost, 0 run twice, the same files byte for byte, no process left',
  async prove(size, { seed }) {
    const undo: (() => void)[] = [];
    try {
      const wholes: Whole[] = [];
      for (const pipeline of PIPELINES) wholes.push(await undisturbed(pipeline, (clean) => undo.push(clean)));
      let kills = 0;
      const figure = await trials(size === 'large' ? 3_000 : 50, AT_ONCE, async (index) => {
        const whole = wholes[index % wholes.length] as Whole;
        return inPlace(async (place, models) => {
          const tried = await tryOnce(whole, place, models, randomFrom(seed * 1_000_003 + index));
          kills += tried.kills;
          return tried.faults.map((fault) => `${whole.pipeline}, killed ${tried.moments.join(', then ')}: ${fault}`);
        });
      });
      return { ...figure, also: `${kills} kills` };
    } finally {
      for (const clean of undo) clean();
    }
  },
  guards: [
    {
      says: 'what is finished is looked up',
      file: 'src/engine/leaf.ts',
      find: 'step.cache && !isRerun(path, tools) ? await reuse(keyed, around, tools)',
      replace: 'step.cache && isRerun(path, tools) ? await reuse(keyed, around, tools)',
    },
    {
      says: 'a fact is written before anything follows from it',
      file: 'src/engine/recorder.ts',
      find: 'journal.write(line);',
      replace: `setTimeout(() => {
        try {
          journal.write(line);
        } catch {}
      }, 60);`,
    },
    {
      says: 'an interrupted conversation goes on',
      file: 'src/engine/continued.ts',
      find: "return { after: 'interruption', asked: rounds ? { rounds, fault: undefined } : undefined };",
      replace: 'return undefined;',
    },
    {
      says: 'what a killed session left is ended',
      file: 'src/run.ts',
      find: 'const ended = await endLeftovers(session.runId);',
      replace: 'const ended = Number(endLeftovers.length < 0);',
    },
  ],
};

/** A trial in a workspace with a model server of its own; nothing of it is left. */
async function inPlace<T>(work: (place: Workspace, models: MockServer) => Promise<T>): Promise<T> {
  const models = await mockServer(model());
  const undo: (() => void)[] = [];
  const place = workspace(FIXTURE, (clean) => undo.push(clean));
  try {
    return await work(place, models);
  } finally {
    killAllOf(place.dir);
    await models.close();
    for (const clean of undo) clean();
  }
}

async function undisturbed(pipeline: string, atEnd: (clean: () => void) => void): Promise<Whole> {
  const models = await mockServer(model());
  const place = workspace(FIXTURE, atEnd);
  const began = Date.now();
  const ran = await place.pipeline(argsOf(pipeline), askingAt(models.url));
  const ms = Date.now() - began;
  await models.close();
  if (ran.code !== 0) throw new Error(`undisturbed: ${ran.stderr}`);
  const begun = begunOf(place, models);
  return { pipeline, place, result: resultOf(ran), events: eventsOf(place, pipeline).length, ms, begun: begun.length };
}

interface Tried {
  readonly kills: number;
  /** As a person reads them. */
  readonly moments: readonly string[];
  readonly faults: readonly string[];
}

async function tryOnce(whole: Whole, place: Workspace, models: MockServer, random: () => number): Promise<Tried> {
  const { pipeline } = whole;
  const wanted = random() < 0.7 ? 1 : 2 + Math.floor(random() * 2);
  const moments: string[] = [];
  let kills = 0;
  let cutOff = 0;
  for (let turn = 0; turn < wanted; turn++) {
    const run = place.start([...argsOf(pipeline), ...(turn > 0 ? ['--resume'] : [])], askingAt(models.url));
    const { says, come } = momentIn(whole, place, random);
    moments.push(says);
    await Promise.race([come(), run.ended]);
    if (!(await killed(run))) break;
    kills++;
    cutOff += openLeaves(eventsOf(place, pipeline)).size;
  }
  const resumed = await place.pipeline([...argsOf(pipeline), '--resume'], askingAt(models.url));
  return { kills, moments, faults: await faultsOf(whole, place, models, resumed, cutOff) };
}

/** After so many events of the run, or after so long. */
function momentIn(whole: Whole, place: Workspace, random: () => number) {
  const { pipeline, events, ms } = whole;
  if (random() < 0.5) {
    const afterMs = Math.round(random() * ms);
    return { says: `after ${afterMs} ms`, come: () => sleep(afterMs) };
  }
  const before = eventsOf(place, pipeline).length;
  const count = before + 1 + Math.floor(random() * Math.max(1, events - before));
  // At once, before what follows the event has begun, or while it is at work.
  const furtherMs = random() < 0.4 ? 0 : Math.round(random() * LONGEST_STEP_MS);
  const come = async () => {
    for (let left = 20_000; linesOf(journalOf(place, pipeline)) < count && left > 0; left -= POLL_MS)
      await sleep(POLL_MS);
    await sleep(furtherMs);
  };
  return { says: `after ${count} events and ${furtherMs} ms`, come };
}

/** Does again what it is told that nobody knows about, and then goes on as its script says. */
function model(): Answer {
  const answer = scripted(FIXTURE, MODEL_MS);
  return (request) => answer({ ...request, body: JSON.stringify({ ...bodyOf(request), messages: whole(request) }) });
}

/** The conversation without the calls that a kill cut off. */
function whole(request: MockRequest): ChatRequest['messages'] {
  const { messages } = bodyOf(request);
  const isCutOff = (at: number) => messages[at]?.content?.startsWith('Error: the run was interrupted') === true;
  return messages.filter((_, at) => !isCutOff(at) && !isCutOff(at + 1));
}

/** False if it had ended by itself. */
async function killed({ child, ended }: Started): Promise<boolean> {
  child.kill('SIGKILL');
  return (await ended).signal === 'SIGKILL';
}

async function faultsOf(
  { pipeline, place: other, result, begun }: Whole,
  place: Workspace,
  models: MockServer,
  resumed: Ran,
  cutOff: number,
): Promise<string[]> {
  const left = await leftAfter(place.dir, SWEPT_WITHIN_MS);
  const faults = left.map(({ command }) => `left alive: ${command}`);
  if (resumed.code !== 0)
    return [...faults, `the resume ended with ${resumed.code ?? resumed.signal}: ${resumed.stderr}`];
  if (resultOf(resumed) !== result) faults.push(`another result: ${resultOf(resumed)}`);
  const differs = difference(runOf(place, pipeline), runOf(other, pipeline));
  if (differs !== '') faults.push(`other files: ${differs.replaceAll(other.dir, '«undisturbed»')}`);
  const now = begunOf(place, models);
  const again = repeats(now);
  faults.push(...lostWork(now), ...doneAgain(eventsOf(place, pipeline)));
  if (now.length - again !== begun) faults.push(`${now.length - again} pieces of work began, not ${begun}`);
  if (again > cutOff) faults.push(`${again} began again, though ${cutOff} were cut off`);
  return faults;
}

const argsOf = (pipeline: string) => ['run', `${pipeline}.yaml`, QUERY, '--quiet'];
const runOf = (place: Workspace, pipeline: string) => join(place.dir, 'skill_run', pipeline, slugIn(place, pipeline));
const eventsOf = (place: Workspace, pipeline: string) => place.events(`${pipeline}/${slugIn(place, pipeline)}`);
const journalOf = (place: Workspace, pipeline: string) => join(runOf(place, pipeline), 'events.ndjson');
/** The first line is the folder. */
const resultOf = ({ stdout }: Ran) => stdout.slice(stdout.indexOf('\n'));

/** A run that was killed before its first fact leaves its folder, and none goes on with it: the next one has another name. */
function slugIn(place: Workspace, pipeline: string): string {
  const slugs = ['the-house', 'the-house-2', 'the-house-3', 'the-house-4'];
  return slugs.find((slug) => place.has(`skill_run/${pipeline}/${slug}/events.ndjson`)) ?? 'the-house';
}

/** Shell steps and rounds of agents, in the order in which they began. */
function begunOf(place: Workspace, { requests }: MockServer): Begun[] {
  return [...(place.has('counter.log') ? begunIn(place.read('counter.log')) : []), ...requests.map(roundOf)];
}

function roundOf(request: MockRequest): Begun {
  const messages = whole(request);
  const rank = messages.filter(({ role }) => role === 'assistant').length;
  const lane = messages.find(({ role }) => role === 'user')?.content ?? '';
  return { lane, rank, name: lane };
}

function linesOf(file: string): number {
  try {
    return readFileSync(file).reduce((lines, byte) => lines + Number(byte === 10), 0);
  } catch {
    return 0;
  }
}
