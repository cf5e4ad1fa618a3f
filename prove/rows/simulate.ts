/** Pipelines of random steps, and the bundled ones, run by an adversary that says, delays and kills whatever it may, on a disk of memory. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { campaign, type Outcome } from '../../src/simulate/campaign.js';
import { type Compiled, compile } from '../../src/simulate/compiled.js';
import type { Disk } from '../../src/simulate/disk/disk.js';
import { onDisk } from '../../src/simulate/disk/on-disk.js';
import type { Found } from '../../src/simulate/found/cut-down.js';
import { simulationsIn } from '../../src/simulate/sim-file.js';
import { BUNDLED_SKILLS } from '../../test/support/cli.js';
import { randomFrom } from '../random.js';
import { randomPlan } from '../random-plan.js';
import type { Figure, Row } from '../row.js';

/** Of each generated pipeline. */
const RUNS = 15;
/** Of each bundled skill. */
const SKILL_RUNS = { small: 25, large: 2_000 };
const PLANS = { small: 24, large: 6_700 };
/** Each is cut down, which takes hundreds of runs. */
const MOST_FAULTS = 1;

export const row: Row = {
  name: 'simulate',
  promise: 'generated and bundled pipelines in the hands of an adversary',
  target: '0 runs that break a promise of every run',
  async prove(size, { dir, seed }): Promise<Figure> {
    const faults: string[] = [];
    const sum = { runs: 0, sessions: 0 };
    const begun = performance.now();
    const add = (name: string, { runs, sessions, found }: Outcome) => {
      sum.runs += runs;
      sum.sessions += sessions;
      faults.push(...found.map((one) => `${name}: ${faultText(one)}`));
    };
    await onDisk(async (disk) => {
      for (let number = 0; number < PLANS[size] && faults.length < MOST_FAULTS; number++)
        add(`pipeline ${number}`, await ofPlan(seed * 100_003 + number, join(dir, String(number % 100)), disk));
      for (const skill of bundledSkills())
        if (faults.length < MOST_FAULTS) add(skill, await ofSkill(skill, SKILL_RUNS[size], String(seed), disk));
    });
    const perSecond = Math.round((sum.runs / (performance.now() - begun)) * 1_000);
    return { tried: sum.runs, faults, also: `${sum.sessions} sessions, ${perSecond} runs a second on one core` };
  },
  guards: [
    {
      says: 'the key of a step holds its schema',
      file: 'src/engine/key.ts',
      find: "if (step.output) parts.add('output', step.output.json, schemaHash(step.output));",
      replace: 'void schemaHash;',
    },
    {
      says: 'an item of an earlier session is in the output',
      file: 'src/engine/loops.ts',
      find: 'outputs.push(outcome.output);',
      replace: "if (!('reads' in outcome)) outputs.push(outcome.output);",
    },
    {
      says: 'what a call needs is asked for before it',
      file: 'src/agent/call.ts',
      find: 'context.budget.reserve(await needOf(estimate, model, context), context.signal)',
      replace:
        'context.budget.reserve(attempt > 0 ? NO_AMOUNT : await needOf(estimate, model, context), context.signal)',
    },
    {
      says: 'an effect that was cut off is not repeated',
      file: 'src/engine/unknown.ts',
      find: 'return !tools.retryUnknown && concerns(task, tools) !== undefined;',
      replace: 'return tools.retryUnknown && concerns(task, tools) !== undefined;',
    },
    {
      says: 'what stands below a fence waits for it',
      file: 'src/load/order.ts',
      find: "if (draft.body.type === 'leaf' && draft.body.kind.fence) fences.push(draft);",
      replace: '',
    },
    {
      says: 'a run with failures is partial',
      file: 'src/engine/finish.ts',
      find: 'const partial = list.partial && !plan.acceptPartial;',
      replace: 'const partial = list.partial && plan.steps.length === 0;',
    },
    {
      says: 'what needs a failed step is not begun',
      file: 'src/engine/interpret.ts',
      find: "const blocker = before.find((one) => one.next === 'blocked');",
      replace: "const blocker = before.find((one) => one.next === 'blocked' && one.cause === '');",
    },
    {
      says: 'a step has as many attempts as its author gives it',
      file: 'src/core/faults.ts',
      find: 'if (attempt >= policy.attempts) return undefined;',
      replace: 'if (attempt > policy.attempts) return undefined;',
    },
    {
      says: 'half a line is cut off before the next is written',
      file: 'src/engine/session.ts',
      find: 'cutTail(runDir.journal, end.wholeBytes);',
      replace: 'void cutTail;',
    },
    {
      says: 'what was finished is published again',
      file: 'src/engine/leaf.ts',
      find: 'tools.publisher.publish(task, { artifacts: outcome.artifacts, texts: saved.texts });',
      replace: '',
    },
    {
      says: 'a record is on the disk before what follows from it',
      file: 'src/engine/recorder.ts',
      find: 'if (durable) await journal.sync();',
      replace: 'if (durable) void journal.sync;',
    },
    {
      says: 'the folders of a run are on the disk with its journal',
      file: 'src/engine/journal.ts',
      find: 'if (unnamed) syncNames(file, files);',
      replace: 'void syncNames;',
    },
    {
      says: 'a loop in which too many items failed has failed',
      file: 'src/engine/loops.ts',
      find: 'if (succeeded >= needed) return undefined;',
      replace: 'if (succeeded >= Math.min(needed, 0)) return undefined;',
    },
    {
      says: 'an output is held against its schema',
      file: 'src/engine/done.ts',
      find: 'refuse(await judge(task.step, result.value, task.frame, around.roots, work));',
      replace: 'void refuse; void judge;',
    },
  ],
};

async function ofPlan(number: number, dir: string, disk: Disk) {
  const { files, edited } = randomPlan(randomFrom(number));
  mkdirSync(join(dir, '.git'), { recursive: true });
  const compiled = await written(dir, files);
  const other = await written(dir, edited);
  const now = () => performance.now();
  const all = { runs: RUNS, first: 0, step: 1, timeMs: Number.POSITIVE_INFINITY, mostFound: MOST_FAULTS, now };
  return campaign({ compiled, claims: [], versions: [other], seed: String(number), ...all }, disk);
}

/** Those that are pipelines, with what is claimed of them. */
function bundledSkills(): string[] {
  return readdirSync(BUNDLED_SKILLS).filter((name) => existsSync(join(BUNDLED_SKILLS, name, 'pipeline.yaml')));
}

async function ofSkill(name: string, runs: number, seed: string, disk: Disk): Promise<Outcome> {
  const dir = join(BUNDLED_SKILLS, name);
  const [simulation] = simulationsIn(dir).simulations;
  const wanted = { query: simulation?.queries ?? [], inputs: simulation?.inputs ?? {} };
  const got = await compile({ target: join(dir, 'pipeline.yaml'), cwd: dirname(BUNDLED_SKILLS), ...wanted });
  if (!('compiled' in got)) throw new Error(`${name} is not valid: ${got.problems[0]?.message}`);
  const now = () => performance.now();
  const all = { runs, first: 0, step: 1, timeMs: Number.POSITIVE_INFINITY, mostFound: MOST_FAULTS, now };
  return campaign({ compiled: got.compiled, claims: simulation?.claims ?? [], seed, ...all }, disk);
}

async function written(dir: string, files: Readonly<Record<string, string>>): Promise<Compiled> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const got = await compile({ target: join(dir, 'pipeline.yaml'), cwd: dir, query: 'a test', inputs: {} });
  if ('compiled' in got) return got.compiled;
  throw new Error(`a generated pipeline is not valid: ${got.problems[0]?.message}`);
}

function faultText({ violation, seed, choices, story }: Found): string {
  return `${violation.what}: ${violation.said} (seed ${seed}, ${choices} choices) ${story}`;
}
