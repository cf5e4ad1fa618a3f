/** A run is ended by a signal at a random moment, while processes of every manner work for it. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FIXTURES, type Ran, type Started, seen, type Workspace, workspace } from '../../test/support/cli.js';
import { killAllOf, leftAfter, processesOf } from '../left-processes.js';
import { randomFrom } from '../random.js';
import type { Row, Size } from '../row.js';
import { trials } from '../trials.js';

const FIXTURE = 'cancel-row';
const QUERY = 'a query';
const AT_ONCE = 4;
/** They only wait. */
const BARE_AT_ONCE = 10;
/** How long after the signal all must be gone; on a busy machine, when the run has ended. */
const GONE_MS = 3_000;
/** One that has not ended by then never will. */
/** As a shell has it. A second signal can meet a process that has said all and is ending by itself: then it is the signal that ends it. */
function statusOf({ code, signal, stderr }: Ran): number | null {
  const hasSaid = stderr.includes('go on');
  return (
    code ??
    (hasSaid && signal !== null
      ? ({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as Record<string, number>)[signal]
      : null) ??
    null
  );
}

const HANGS_MS = 10_000;

interface Ending {
  readonly says: string;
  readonly signal: NodeJS.Signals;
  readonly twice?: true;
  /** Null where the process ends by the signal itself, and another one goes on. */
  readonly exit: number | null;
}

const ENDINGS: readonly Ending[] = [
  { says: 'INT', signal: 'SIGINT', exit: 130 },
  { says: 'INT twice', signal: 'SIGINT', twice: true, exit: 130 },
  { says: 'TERM', signal: 'SIGTERM', exit: 143 },
  { says: 'HUP', signal: 'SIGHUP', exit: 129 },
  { says: 'KILL and restart', signal: 'SIGKILL', exit: null },
];

/** Of scripts/works.sh, and the pipeline in which it works. */
const MANNERS = [
  ['cancel', 'plain'],
  ['cancel', 'session'],
  ['cancel', 'deaf'],
  ['cancel', 'pipe'],
  ['agent', 'session'],
  ['cancel', 'deaf_session'],
  ['cancel', 'respawns'],
  ['agent', 'deaf_session'],
] as const;

export const row: Row = {
  name: 'cancel',
  promise: 'cancel: INT, INT twice, TERM, HUP, KILL and restart',
  target: '0 processes left after 3 s, the right exit code, every run goes on',
  async prove(size, { seed }) {
    let slowestMs = 0;
    const figure = await trials(countOf(size), AT_ONCE, async (index) => {
      const { ending, pipeline, manner, random } = trialAt(index, seed);
      const undo: (() => void)[] = [];
      const place = workspace(FIXTURE, (clean) => undo.push(clean));
      try {
        const tried = await tryOnce(ending, pipeline, manner, place, random);
        slowestMs = Math.max(slowestMs, tried.ms);
        return tried.faults.map((fault) => `${ending.says}, ${pipeline} ${manner}: ${fault}`);
      } finally {
        killAllOf(place.dir);
        for (const clean of undo) clean();
      }
    });
    return { ...figure, also: `slowest end ${(slowestMs / 1_000).toFixed(1)} s` };
  },
  bare: {
    of: 'execa with cleanup and forceKillAfterDelay',
    async prove(size, { seed, dir }) {
      let left = 0;
      const figure = await trials(countOf(size), BARE_AT_ONCE, async (index) => {
        const { ending, manner, random } = trialAt(index, seed);
        const own = join(dir, `bare-${index}`);
        mkdirSync(own);
        try {
          const still = await leftByExeca(ending, manner, own, random);
          left += still;
          return still > 0 ? `${ending.says}, ${manner}: ${still} left` : undefined;
        } finally {
          killAllOf(own);
        }
      });
      return { ...figure, also: `${left} processes left` };
    },
  },
  guards: [
    {
      says: 'KILL for what does not heed TERM',
      file: 'src/process/group.ts',
      find: `signalGroup(leader, 'SIGKILL');
    const left = look();
    for (const entry of left) signalOne(entry, 'SIGKILL');`,
      replace: `signalGroup(leader, 'SIGTERM');
    const left = look();
    for (const entry of left) signalOne(entry, 'SIGTERM');`,
    },
    {
      says: 'a sweep for what has left the session',
      file: 'src/process/group.ts',
      find: 'return [...members, ...below, ...withMarker(marker)];',
      replace: 'return withMarker(marker).concat(members, below).filter(({ session }) => session === family.leader);',
    },
    {
      says: 'the next start ends what a killed one left',
      file: 'src/run.ts',
      find: 'const ended = await endLeftovers(session.runId);',
      replace: 'const ended = Number(endLeftovers.length < 0);',
    },
    {
      says: 'each signal has its exit code',
      file: 'src/cli/signals.ts',
      find: "SIGHUP: { code: 'run.hangup', message: 'the terminal was closed', exit: 129 }",
      replace: "SIGHUP: { code: 'run.terminated', message: 'terminated', exit: 143 }",
    },
  ],
};

const countOf = (size: Size) => (size === 'large' ? 500 : 20);

/** All endings in turn; the manners shift with each round, so that all of them meet. */
function trialAt(index: number, seed: number) {
  const ending = ENDINGS[index % ENDINGS.length] as Ending;
  const turn = index + Math.floor(index / ENDINGS.length / MANNERS.length);
  const [pipeline, manner] = MANNERS[turn % MANNERS.length] as (typeof MANNERS)[number];
  return { ending, pipeline, manner, random: randomFrom(seed * 1_000_003 + index) };
}

async function tryOnce(
  ending: Ending,
  pipeline: string,
  manner: string,
  place: Workspace,
  random: () => number,
): Promise<{ readonly faults: readonly string[]; readonly ms: number }> {
  const args = ['run', `${pipeline}.yaml`, QUERY, '--input', `manner=${manner}`];
  const run = place.start(args);
  // As soon as the first process is to begin, or when it has.
  const isEarly = random() < 0.4;
  const begun = () => place.has('ready') || (isEarly && hasBegun(place, pipeline));
  const first = await Promise.race([seen(begun), run.ended]);
  if (first !== true) return { faults: [`it ended before its time: ${JSON.stringify(first)}`], ms: 0 };
  await sleep(random() * 500);
  const { ran, ms } = await endedBy(ending, run, random);
  const restarted = ending.exit === null ? await goneOn(place, args) : undefined;
  const left = await leftAfter(place.dir, Math.max(0, GONE_MS - ms));
  const faults = left.map(({ command }) => `left alive: ${command}`);
  if (ran === undefined) faults.push(`it did not end within ${HANGS_MS / 1_000} s`);
  else if (statusOf(ran) !== ending.exit) faults.push(`it ended with ${ran.code ?? ran.signal}: ${ran.stderr}`);
  const went = restarted ?? (await goneOn(place, args));
  if (went.code !== 0) faults.push(`the resume ended with ${went.code ?? went.signal}: ${went.stderr}`);
  else if (!went.stdout.endsWith('\nwent\n')) faults.push(`the resume gave ${went.stdout}`);
  return { faults, ms };
}

/** `ran` is undefined if it hangs. */
async function endedBy(
  { signal, twice }: Ending,
  { child, ended }: Started,
  random: () => number,
): Promise<{ readonly ran: Ran | undefined; readonly ms: number }> {
  const began = Date.now();
  child.kill(signal);
  if (twice) {
    await sleep(random() * 300);
    child.kill(signal);
  }
  const late = new AbortController();
  const ran = await Promise.race([ended, sleep(HANGS_MS, undefined, { signal: late.signal })]);
  late.abort();
  if (ran === undefined) child.kill('SIGKILL');
  return { ran, ms: Date.now() - began };
}

/** The processes of a resume find `go`, and end at once. */
function goneOn(place: Workspace, args: readonly string[]): Promise<Ran> {
  place.write('go', '');
  return place.pipeline([...args, '--resume']);
}

function hasBegun(place: Workspace, pipeline: string): boolean {
  return place.events(`${pipeline}/a-query`).some(({ type }) => type === 'step_started');
}

const RUNNER = fileURLToPath(new URL('../execa-runner.mjs', import.meta.url));
const WORKS = join(FIXTURES, 'pipelines', FIXTURE, 'scripts/works.sh');

/** How many processes are left when all must be gone. */
async function leftByExeca(ending: Ending, manner: string, dir: string, random: () => number): Promise<number> {
  const runner = spawn(process.execPath, [RUNNER, 'bash', WORKS, manner], {
    env: { ...process.env, PIPELINE_PROJECT_DIR: dir },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => runner.once('exit', () => resolve()));
  await seen(() => processesOf(dir).some(({ command }) => command.startsWith('sleep')));
  await sleep(random() * 500);
  runner.kill(ending.signal);
  if (ending.twice) {
    await sleep(random() * 300);
    runner.kill(ending.signal);
  }
  const left = (await leftAfter(dir, GONE_MS)).filter(({ pid }) => pid !== runner.pid).length;
  runner.kill('SIGKILL');
  await ended;
  return left;
}
