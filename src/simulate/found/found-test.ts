/** A violation as a test that `pipeline test` performs: told in words where a test has such words, else by what the adversary chose. */
import { basename } from 'node:path';
import type { Recorded } from '../../core/events.js';
import { positionIn } from '../../core/expression.js';
import { isObject, type Json, sha256 } from '../../core/json.js';
import type { StepPath } from '../../core/outcome.js';
import type { Plan } from '../../core/plan.js';
import { scalarText } from '../../load/yaml-write.js';
import type { Claim } from '../../testing/claims.js';
import type { Taken } from '../choices/choices.js';
import type { Compiled } from '../compiled.js';
import type { Violation } from '../promises/judged.js';
import type { Act, SimulatedRun } from '../run-facts.js';
import { plainStubs } from './plain-stubs.js';
import { storyOf } from './story.js';

export interface FoundTest {
  /** `found-<id>.test.yaml` */
  readonly name: string;
  /** What models, processes and persons did; undefined where more than they do brought it about. */
  readonly told: string | undefined;
  /** As `cameTo` says it: what a run of `told` must come to. */
  readonly cameTo: readonly string[];
  /** What the adversary chose. */
  readonly simulated: string;
}

/** Undefined where an author's edit between two sessions is a part of it. */
export function foundTest(
  violation: Violation,
  run: SimulatedRun,
  taken: Taken,
  { plan, inputs: { values: inputs } }: Compiled,
): FoundTest | undefined {
  if (taken.has('edit')) return undefined;
  const claim = violation.type === 'claim' ? violation.claim : undefined;
  const id = sha256(claim ? claimName(claim) : `promise ${violation.what}`).slice(0, 8);
  const written = (how: readonly (readonly [string, Json])[]) => {
    const document: (readonly [string, Json])[] = [
      ['name', violation.what],
      ['query', run.query],
      ['inputs', inputs],
      ...how,
      ['expect', claim ? { [claim.holds]: [{ that: claim.text, message: claim.message }] } : {}],
    ];
    const lines = document.map(([key, value]) => (isNothing(value) && key !== 'simulate' ? '' : yaml(key, value)));
    return `${wrap(`# Found by pipeline simulate. ${storyOf(run, taken)}`)}\n${lines.join('')}`;
  };
  const isTold = claim !== undefined && run.sessions.length === 1 && run.sessions[0]?.isDiskFailed === false;
  const chosen = [...taken].filter(([place]) => place !== 'query');
  return {
    name: `found-${id}.test.yaml`,
    told: isTold ? written(toldOf(run.acts, plan)) : undefined,
    cameTo: cameTo(run.sessions.flatMap(({ events }) => events)),
    simulated: written([['simulate', Object.fromEntries(chosen.map(([place, numbers]) => [place, [...numbers]]))]]),
  };
}

/** Another one for the same claim in another file, which has queries and inputs of its own. */
function claimName({ holds, text, that }: Claim): string {
  return `${basename(positionIn(that, 0).file)} ${holds} ${text}`;
}

/** What became of a run, in lines that are the same for the same end by the same failures. */
export function cameTo(events: readonly Recorded[]): string[] {
  const lines = events.flatMap((event) => {
    if (event.type === 'step_failed') return [`"${event.path}" failed: ${event.fault.code}`];
    if (event.type === 'step_ended') return [`"${event.path}" ended it`];
    return event.type === 'run_ended' ? [`the run is ${event.status}`] : [];
  });
  return [...new Set(lines)].sort();
}

function toldOf(acts: readonly Act[], plan: Plan): [string, Json][] {
  const stubs = stubsOf(acts);
  const answers = acts.flatMap((act) =>
    act.of === 'gate'
      ? [[act.path, act.comment === '' ? act.choice : { choice: act.choice, comment: act.comment }] as const]
      : [],
  );
  return [
    ['turns', Object.fromEntries(turnsOf(acts))],
    ['stubs', Object.fromEntries([...stubs, ...plainStubs(plan, new Set(stubs.keys()))])],
    ['answers', Object.fromEntries(answers)],
  ];
}

function turnsOf(acts: readonly Act[]): Map<StepPath, Json[]> {
  const turns = new Map<StepPath, Json[]>();
  for (const act of acts) {
    if (act.of !== 'model' || act.attempt > 1) continue;
    const turn: Json = act.type === 'turn' ? act.turn : { error: { code: act.code } };
    turns.set(act.path, [...(turns.get(act.path) ?? []), turn]);
  }
  return turns;
}

function stubsOf(acts: readonly Act[]): Map<StepPath, Json[]> {
  const stubs = new Map<StepPath, Json[]>();
  for (const act of acts) {
    if (act.of !== 'process') continue;
    const stub = {
      ...(act.stdout === '' || act.exit !== 0 ? {} : { stdout: act.stdout }),
      ...(act.exit === 0 && !act.hangs ? {} : { exit: act.hangs ? 124 : act.exit }),
      ...(act.stderr === '' ? {} : { stderr: act.stderr }),
      ...(Object.keys(act.files).length > 0 ? { files: act.files } : {}),
    };
    stubs.set(act.path, [...(stubs.get(act.path) ?? []), stub]);
  }
  return stubs;
}

function isNothing(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length > 110) lines.push(lines.length === 0 ? word : `# ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join('\n');
}

/** A key of the document: lists and maps one level deep in lines of their own, numbers and what is deeper in place. */
function yaml(key: string, value: Json): string {
  if (!isObject(value) || isNothing(value)) return `${key}: ${flow(value)}\n`;
  const lines = Object.entries(value).map(([name, one]) => {
    if (!Array.isArray(one) || one.every((item) => typeof item === 'number'))
      return `  ${scalarText(name)}: ${flow(one)}\n`;
    return `  ${scalarText(name)}:\n${one.map((item) => `    - ${flow(item)}\n`).join('')}`;
  });
  return `${key}:\n${lines.join('')}`;
}

function flow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, one]) => `${scalarText(key)}: ${flow(one)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return scalarText(value as string | number | boolean | null);
}
