/** A run, or one step of it, as text or JSON. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import { plainText } from '../core/plain-text.js';
import { shellWord } from '../core/shell-word.js';
import { counted, duration, tokenCount, tokens } from '../core/words.js';
import { lockHolder } from '../engine/lock.js';
import { readSteps, type StepRecord } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { type RunFile, readRunFile } from '../engine/run-file.js';
import { here } from './output.js';
import { liveStatus } from './runs.js';
import { table } from './table.js';

export function runJson(dir: string): unknown {
  const run = runAt(dir);
  const steps = stepsOf(dir).map(({ output: _, outputBlob: __, ...step }) => step);
  return { ...run, status: liveStatus(run, dir), dir, steps };
}

export function runText(dir: string): string {
  const run = runAt(dir);
  const outcome = run.outcome && run.outcome !== run.status ? ` (${run.outcome})` : '';
  const facts = [
    ['query', plainText(run.query)],
    ...(run.models.length > 0
      ? [['model', `${run.models.join(', ')}${run.placeholder ? '  (placeholder text)' : ''}`]]
      : []),
    ['began', run.started],
    ...(run.resumed ? [['resumed', run.resumed.join(', ')]] : []),
    ['folder', here(dir)],
    ...(run.message ? [['said', plainText(run.message)]] : []),
    ...(canGoOn(liveStatus(run, dir)) ? [['go on', goOnLine(run)]] : []),
  ];
  return `${run.skill}/${run.slug}  ${liveStatus(run, dir)}${outcome}\n${table(facts)}\n\n${table(stepsOf(dir).map(rowOf))}`;
}

export function stepJson(dir: string, path: string): unknown {
  const { outputBlob: _, ...step } = stepAt(dir, path);
  return { ...step, output: outputOf(dir, path), folder: runDirAt(dir).step(path).dir };
}

export function stepText(dir: string, path: string): string {
  const step = stepAt(dir, path);
  const { dir: folder, prompt, transcript, stdout, stderr } = runDirAt(dir).step(path);
  const seen = [prompt, transcript, stdout, stderr].filter((file) => fs.existsSync(file));
  const facts = [
    ...(step.ms === undefined ? [] : [['took', duration(step.ms)]]),
    ['folder', here(folder)],
    ...(step.rounds > 0
      ? [['rounds', `${step.rounds}, ${tokens(step.inputTokens)} tokens in, ${tokens(step.outputTokens)} out`]]
      : []),
    ...(step.tools.length > 0 ? [['tools', plainText(step.tools.join(', '))]] : []),
    ...(step.reason ? [['why', plainText(step.reason)]] : []),
    ...(step.fault ? [['fault', `${step.fault.code}: ${plainText(step.fault.message)}`]] : []),
    ...(step.fault?.hint ? [['try', plainText(step.fault.hint)]] : []),
    ...step.artifacts.map((artifact) => ['file', `${artifact.path}  ${counted(artifact.bytes, 'byte')}`]),
    ...seen.map((file) => ['see', here(file)]),
  ];
  const output = outputOf(dir, path);
  const shown = output === null ? [] : ['', typeof output === 'string' ? output : JSON.stringify(output, null, 2)];
  return [`${step.path}  ${step.status}`, table(facts), ...shown].join('\n');
}

function canGoOn(status: string): boolean {
  return status !== 'done' && status !== 'refused' && status !== 'running';
}

function goOnLine({ skill, slug }: RunFile): string {
  return `pipeline resume ${shellWord(`${skill}/${slug}`)}`;
}

function runAt(dir: string): RunFile {
  const run = readRunFile(dir);
  if (!run) throw new Fault('input.unknown', `${dir} is not a run folder`);
  return run;
}

function stepsOf(dir: string): StepRecord[] {
  return readSteps(runDirAt(dir).journal, lockHolder(dir) !== undefined);
}

function stepAt(dir: string, path: string): StepRecord {
  const steps = stepsOf(dir);
  const step = steps.find((one) => one.path === path);
  if (step) return step;
  const near = steps.map((one) => one.path).filter((one) => one.split('/').includes(path));
  const names = near.length > 0 ? near : steps.map((one) => one.path);
  const hint = `${near.length > 0 ? 'Perhaps' : 'Steps'}: ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}`;
  throw new Fault('input.unknown', `the run has no step "${path}"`, { hint });
}

function rowOf(step: StepRecord): string[] {
  const used = step.inputTokens + step.outputTokens;
  return [
    step.path,
    step.status,
    step.ms === undefined ? '' : duration(step.ms),
    step.rounds > 0 ? counted(step.rounds, 'round') : '',
    used > 0 ? tokenCount(used) : '',
    plainText(step.fault?.message ?? step.reason ?? ''),
  ];
}

function outputOf(dir: string, path: string): Json {
  const { output, outputBlob } = stepAt(dir, path);
  if (outputBlob === undefined) return output;
  return JSON.parse(fs.readFileSync(join(runDirAt(dir).blobs, outputBlob), 'utf8')) as Json;
}
