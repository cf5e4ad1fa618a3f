/** One run in the hands of the adversary, from its first session to its last: a function of its choices alone. */
import { buryLocks } from './adversary/dead-locks.js';
import type { Choices } from './choices/choices.js';
import type { Compiled } from './compiled.js';
import type { Disk } from './disk/disk.js';
import { type Broken, PROMISES, type Say } from './promises/broken.js';
import { lastRecordOn, withoutLost } from './promises/power-cut.js';
import type { Act, SessionFacts, SimulatedRun } from './run-facts.js';
import { simulateSession } from './simulated-session.js';
import { createPools } from './values/pools.js';

export interface RunOptions {
  /** No crash, no failed write: what the run would have come to. */
  readonly calm?: boolean;
  /** Another version of the file, from the session with this number on. */
  readonly edited?: { readonly compiled: Compiled; readonly from: number };
  /** Answers depend on what is asked, too: where the file may change in between. */
  readonly salted?: boolean;
}

const START_MS = Date.UTC(2030, 0, 1);
/** Of the process of the first session. */
const PID = 1_000;
const BETWEEN_SESSIONS_MS = 60_000;
const MOST_SESSIONS = 6;
const MOST_WAITS = 2;
/** How often it is not the first of the queries. */
const ANOTHER_QUERY = 0.2;

/** @param disk mounted, and nobody else's meanwhile */
export async function simulateRun(
  compiled: Compiled,
  choices: Choices,
  disk: Disk,
  options: RunOptions = {},
): Promise<SimulatedRun> {
  disk.wipe();
  disk.isInUse = true;
  disk.guard = undefined;
  disk.dead = undefined;
  const query = queryOf(compiled, choices);
  const acts: Act[] = [];
  const broken: Broken[] = [];
  const sessions: SessionFacts[] = [];
  const pools = createPools();
  let ids = 0;
  let startMs = START_MS;
  let dir: string | undefined;
  let waits = 0;
  const { edited } = options;

  for (let number = 0; number < MOST_SESSIONS; number++) {
    const pid = PID + number;
    const facts = await simulateSession({
      choices,
      disk,
      number,
      startMs,
      pid,
      first: compiled,
      query,
      now: edited && number >= edited.from ? edited.compiled : compiled,
      isCalm: options.calm === true,
      isSalted: edited !== undefined || options.salted === true,
      isAwaited: waits > 0,
      before: sessions,
      pools,
      newId: () => idOf(++ids),
      began(runDir) {
        dir = runDir;
      },
      acts,
      broken,
    });
    sessions.push(facts);
    if (facts.isPowerLost && dir !== undefined)
      forgetLost(sessions, lastRecordOn(disk, `${dir}/events.ndjson`), broken);
    const { end } = facts;
    startMs += facts.ms + BETWEEN_SESSIONS_MS;
    if (end.type === 'killed') {
      buryLocks(disk, dir, pid);
      continue;
    }
    if (end.type === 'ended' && end.report.status === 'waiting' && waits++ < MOST_WAITS) continue;
    const code = end.type === 'ended' ? end.report.fault?.code : undefined;
    const isOver = end.type === 'hung' || (end.type === 'ended' && code !== 'run.journal' && code !== 'run.storage');
    if (!facts.isDiskFailed || isOver) break;
    if (end.type === 'thrown') buryLocks(disk, dir, pid);
  }
  disk.isInUse = false;
  return { query, sessions, acts, broken, dir };
}

function queryOf({ queries }: Compiled, choices: Choices): string {
  return queries[choices.at('query').rarely(ANOTHER_QUERY, queries.length)] ?? '';
}

function forgetLost(sessions: SessionFacts[], last: number, broken: Broken[]): void {
  const say: Say = (what, said) => void broken.push({ what: PROMISES[what], said });
  for (const [number, session] of sessions.entries()) sessions[number] = withoutLost(session, last, say);
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
