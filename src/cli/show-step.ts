/** A step of a run, or all its items and rounds, as text or JSON. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import { approveLine } from '../core/gate.js';
import type { Json } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { plainText } from '../core/plain-text.js';
import { shellWord } from '../core/shell-word.js';
import { idsOf } from '../core/step-path.js';
import { costOfCalls, counted, duration, tokens } from '../core/words.js';
import type { OpenGate } from '../engine/open-gates.js';
import type { StepRecord } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { agentWays, nameOfRun } from '../engine/ways-on.js';
import { answeredText, askedJson, askedLines } from './asked.js';
import { resumeLineAt } from './go-on.js';
import { here, hereIn } from './output.js';
import { briefJson, type RunSteps, rowOf, runSteps, totalRows } from './run-steps.js';
import { attemptsJson, attemptsText } from './show-attempts.js';
import { table } from './table.js';

/** @param name a path, or ids */
export function stepJson(dir: string, name: string): unknown {
  const run = runSteps(dir);
  const [step, ...others] = stepsMeant(run, name);
  if (others.length > 0) return { step: name, steps: [step, ...others].map(briefJson) };
  const { outputBlob: _, usage, ...facts } = step;
  const gate = gateAt(run, step.path);
  const asked = gate ? { asked: askedJson(gate) } : {};
  const attempts = attemptsJson(dir, step);
  const folder = runDirAt(dir).step(step.path).dir;
  return { ...facts, ...usage, output: outputOf(dir, step), folder, ...asked, attempts };
}

export function stepText(dir: string, name: string): string {
  const run = runSteps(dir);
  const [step, ...others] = stepsMeant(run, name);
  if (others.length === 0) return oneText(dir, step, gateAt(run, step.path));
  const all = [step, ...others];
  const rows = [...all.map((one) => rowOf(one, gateAt(run, one.path))), ...totalRows(all)];
  const last = others.at(-1) ?? step;
  return [
    `${plainText(name)}  ${others.length + 1} places`,
    table(rows),
    `one of them  pipeline show ${shellWord(nameOfRun(dir))} ${shellWord(last.path)}`,
  ].join('\n\n');
}

function oneText(dir: string, step: StepRecord, gate: OpenGate | undefined): string {
  const { dir: folder, prompt, transcript, stdout, stderr } = runDirAt(dir).step(step.path);
  const seen = [prompt, transcript, stdout, stderr].filter((file) => fs.existsSync(file));
  const ways = agentWays(resumeLineAt(dir), step);
  const facts = [
    ...(step.ms === undefined ? [] : [['took', duration(step.ms)]]),
    ['folder', here(folder)],
    ...usageFacts(step),
    ...(step.tools.length > 0 ? [['tools', plainText(step.tools.join(', '))]] : []),
    ...(step.reason ? [['why', plainText(step.reason)]] : []),
    ...(step.fault ? [['fault', `${step.fault.code}: ${plainText(step.fault.message)}`]] : []),
    ...(step.fault?.hint ? [['try', plainText(hereIn(step.fault.hint))]] : []),
    ...(ways
      ? [
          ['go on', `${ways.goOn}  (in the same conversation)`],
          ['anew', ways.anew],
        ]
      : []),
    ...(gate ? gateFacts(gate, dir) : []),
    ...step.artifacts.map((artifact) => ['file', `${artifact.path}  ${counted(artifact.bytes, 'byte')}`]),
    ...seen.map((file) => ['see', here(file)]),
  ];
  const output = outputOf(dir, step);
  const shown = output === null ? [] : ['', typeof output === 'string' ? output : JSON.stringify(output, null, 2)];
  const asked = gate ? ['', ...askedLines(gate.question.ask, gate.file)] : [];
  const attempts = attemptsText(dir, step).flatMap((text) => ['', text]);
  const printed = stderrLines(step);
  return [`${step.path}  ${step.status}`, table(facts), ...asked, ...printed, ...attempts, ...shown].join('\n');
}

const MOST_STDERR = 20;

/** The end of it, where the fault does not say all of it. */
function stderrLines({ fault }: StepRecord): string[] {
  const lines = fault?.stderr?.trim().split('\n').map(plainText) ?? [];
  if (lines.length < 2) return [];
  const shown = lines.slice(-MOST_STDERR).map((line) => `  ${line}`.trimEnd());
  return ['', 'the end of its standard error', ...shown];
}

/** Rounds of the last attempt, everything else of all. */
function usageFacts({ rounds, attempts, usage, models, fallbacks }: StepRecord): string[][] {
  const { inputTokens, outputTokens, cachedTokens, calls, unknownCalls } = usage;
  if (calls === 0 && unknownCalls === 0 && fallbacks.length === 0) return [];
  const cached = cachedTokens > 0 ? ` (${tokens(cachedTokens)} cached)` : '';
  const known = inputTokens + outputTokens > 0 || unknownCalls === 0;
  const unknown = unknownCalls > 0 ? [`those of ${counted(unknownCalls, 'call')} unknown`] : [];
  const spent = [...(known ? [`${tokens(inputTokens)} in${cached}`, `${tokens(outputTokens)} out`] : []), ...unknown];
  const before = attempts.at(-1)?.goesOn ? attempts.at(-2)?.fault : undefined;
  const cost = costOfCalls(usage);
  return [
    ['rounds', attempts.length > 1 ? `${rounds}, the last of ${attempts.length} attempts` : String(rounds)],
    ...(before ? [['went on', `after ${before.code}: ${plainText(before.message)}`]] : []),
    ...(cost === ''
      ? []
      : [
          ['tokens', spent.join(', ')],
          ['cost', cost],
        ]),
    ...(models.length > 0 ? [['model', plainText(models.join(', '))]] : []),
    ...fallbacks.map(({ from, to, fault }) => ['fallback', plainText(`${from} → ${to}: ${fault.message}`)]),
  ];
}

function gateFacts({ path, question: { choices }, answered, status }: OpenGate, dir: string): string[][] {
  const offered = ['choices', plainText(choices.join(', '))];
  if (!answered) return [offered, ['answer', approveLine(nameOfRun(dir), { path, choices })]];
  const goOn = status === 'ended' ? [] : [['go on', plainText(resumeLineAt(dir))]];
  return [offered, ['answered', answeredText(answered)], ...goOn];
}

function gateAt({ gates }: RunSteps, path: StepPath): OpenGate | undefined {
  return gates.find((gate) => gate.path === path);
}

/** By its path, or by ids that stand for one place. */
export function stepMeantIn(run: RunSteps, name: string): StepRecord {
  const [step, ...others] = stepsMeant(run, name);
  if (others.length === 0) return step;
  const paths = [step, ...others].map(({ path }) => path);
  const hint = `Write one of: ${paths.slice(0, 12).join(', ')}${paths.length > 12 ? ', …' : ''}`;
  throw new Fault('input.unknown', `"${name}" has ${paths.length} places in the run`, { hint });
}

/** By its path, or by ids: then every item and round. */
function stepsMeant({ steps }: RunSteps, name: string): [StepRecord, ...StepRecord[]] {
  const exact = steps.find(({ path }) => path === name);
  const [first, ...others] = exact ? [exact] : steps.filter(({ path }) => `/${idsOf(path)}`.endsWith(`/${name}`));
  if (first) return [first, ...others];
  const names = [...new Set(steps.map(({ path }) => idsOf(path)))];
  const hint = `Steps: ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}`;
  throw new Fault('input.unknown', `the run has no step "${name}"`, { hint });
}

function outputOf(dir: string, { output, outputBlob }: StepRecord): Json {
  if (outputBlob === undefined) return output;
  return JSON.parse(fs.readFileSync(join(runDirAt(dir).blobs, outputBlob), 'utf8')) as Json;
}
