/** Begins a session of a run, as a person does at a terminal: a `pipeline` process of its own. The ui may end meanwhile. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../core/faults.js';
import { isObject, type Json } from '../core/json.js';
import { counted } from '../core/words.js';
import { ownProgram } from '../files/own-program.js';
import { startOwnSession } from '../process/own-session.js';

export type Begun =
  /** It is at work on this folder, or was. */
  | { readonly type: 'run'; readonly dir: string }
  /** It ended before there was a run. */
  | { readonly type: 'refused'; readonly messages: readonly string[] }
  /** It still lives, and has not said which run it is. */
  | { readonly type: 'late'; readonly pid: number };

const LOOK_MS = 40;
/** To look for a model server, to read what is large. */
const PATIENCE_MS = 30_000;

/**
 * @param args of `pipeline`
 * @param dirOf the folder that the process of this number works on
 */
export async function begin(
  args: readonly string[],
  {
    cwd,
    env,
    dirOf,
  }: {
    /** Absolute. */
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    dirOf(pid: number): string | undefined;
  },
): Promise<Begun> {
  const program = ownProgram();
  if (program === undefined) {
    throw new Fault('internal.bug', 'the program is not built, so that no run can be started from here', {
      hint: 'npm run build',
    });
  }
  const output = openNameless();
  try {
    const session = await startOwnSession({
      argv: [process.execPath, program, ...args],
      cwd,
      env,
      stdout: output.stdout,
      stderr: output.stderr,
    });
    let isOver = false;
    void session.ended.then(() => {
      isOver = true;
    });
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_MS) {
      const wasOver = isOver;
      const dir = dirOf(session.pid);
      if (dir !== undefined) return { type: 'run', dir };
      if (wasOver) return whatItSaid(output);
      await wait(LOOK_MS);
    }
    return { type: 'late', pid: session.pid };
  } finally {
    output.close();
  }
}

interface Output {
  readonly stdout: number;
  readonly stderr: number;
  close(): void;
}

/** Files without a name: what is written there is gone with the last process that has them open. */
function openNameless(): Output {
  const dir = fs.mkdtempSync(join(tmpdir(), 'pipeline-ui-'));
  try {
    const open = (name: string) => fs.openSync(join(dir, name), 'wx+', 0o600);
    const [stdout, stderr] = [open('stdout'), open('stderr')];
    return {
      stdout,
      stderr,
      close() {
        fs.closeSync(stdout);
        fs.closeSync(stderr);
      },
    };
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** The result of a run is in it. */
const MOST_BYTES = 64 * 1024 * 1024;

function readFrom(fd: number): string {
  const bytes = Buffer.alloc(Math.min(fs.fstatSync(fd).size, MOST_BYTES));
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, 0)).toString('utf8');
}

/** With `--json` its last word is one document, whatever happened. */
function whatItSaid({ stdout, stderr }: Output): Begun {
  const said = documentIn(readFrom(stdout));
  if (isObject(said) && typeof said.dir === 'string') return { type: 'run', dir: said.dir };
  const messages = isObject(said) ? [...faultOf(said.fault), ...listOf(said.problems), ...listOf(said.inputs)] : [];
  if (messages.length > 0) return { type: 'refused', messages };
  const last = readFrom(stderr).trim().split('\n').slice(-3).join('\n');
  return { type: 'refused', messages: [last === '' ? 'It ended without a word.' : last] };
}

function documentIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function faultOf(fault: Json | undefined): string[] {
  return isObject(fault) ? [withHint(fault)] : [];
}

const MOST_PROBLEMS = 20;

function listOf(list: Json | undefined): string[] {
  if (!Array.isArray(list)) return [];
  const objects = list.filter(isObject);
  const more = objects.length - MOST_PROBLEMS;
  return [
    ...objects.slice(0, MOST_PROBLEMS).map(withHint),
    ...(more > 0 ? [`… ${counted(more, 'more problem')}`] : []),
  ];
}

function withHint({ message, hint }: { readonly [key: string]: Json }): string {
  return [message, hint].filter((text) => typeof text === 'string').join(' ');
}
