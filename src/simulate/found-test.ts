/** A violation as a test that `pipeline test` replays: what models, processes and persons did, and what must hold. */
import { isObject, type Json, sha256 } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { scalarText } from '../load/yaml-write.js';
import type { Compiled } from './compiled.js';
import type { Violation } from './judged.js';
import type { Act, SimulatedRun } from './run-facts.js';
import { storyOf } from './story.js';

export interface FoundTest {
  /** `found-<id>.test.yaml` */
  readonly name: string;
  readonly text: string;
}

/** Undefined for what only crashes, clocks or a broken program bring about: a test has none of these. */
export function foundTest(violation: Violation, run: SimulatedRun, compiled: Compiled): FoundTest | undefined {
  if (violation.type !== 'claim' || run.sessions.length !== 1) return undefined;
  const { claim } = violation;
  const id = sha256(`${claim.holds} ${claim.text}`).slice(0, 8);
  const turns = turnsOf(run.acts);
  const stubs = stubsOf(run.acts);
  const answers = run.acts.flatMap((act) =>
    act.of === 'gate'
      ? [[act.path, act.comment === '' ? act.choice : { choice: act.choice, comment: act.comment }] as const]
      : [],
  );
  const document: [string, Json][] = [
    ['name', `${violation.what}`],
    ['query', compiled.query],
    ...(Object.keys(compiled.inputs.values).length > 0 ? [['inputs', compiled.inputs.values] as [string, Json]] : []),
    ...(turns.size > 0 ? [['turns', Object.fromEntries(turns)] as [string, Json]] : []),
    ...(stubs.size > 0 ? [['stubs', Object.fromEntries(stubs)] as [string, Json]] : []),
    ...(answers.length > 0 ? [['answers', Object.fromEntries(answers)] as [string, Json]] : []),
    ['expect', { [claim.holds]: [{ that: claim.text, message: claim.message }] }],
  ];
  const story = `# Found by pipeline simulate. ${storyOf(run)}`;
  return {
    name: `found-${id}.test.yaml`,
    text: `${wrap(story)}\n${document.map(([key, value]) => yaml(key, value)).join('')}`,
  };
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

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length > 110) lines.push(lines.length === 0 ? word : `# ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join('\n');
}

/** A key of the document: lists and maps one level deep in lines of their own, what is deeper in place. */
function yaml(key: string, value: Json): string {
  if (!isObject(value)) return `${key}: ${flow(value)}\n`;
  const lines = Object.entries(value).map(([name, one]) => {
    if (!Array.isArray(one)) return `  ${scalarText(name)}: ${flow(one)}\n`;
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
