/** What a step was asked, what it said and what came of it, as far as a report holds it. */
import type { StepPath } from '../core/outcome.js';
import { NO_USAGE } from '../core/usage.js';
import { folderOfAttempt } from '../engine/left-behind.js';
import type { StepRecord } from '../engine/read-steps.js';
import type { RunDir } from '../engine/run-dir.js';
import { agentWays } from '../engine/ways-on.js';
import { explained } from '../explain/explain.js';
import { explanationText } from '../explain/explain-text.js';
import type { History } from '../explain/history.js';
import type { Allowance } from './allowance.js';
import { roundsIn } from './conversation.js';
import type { RunFiles } from './run-files.js';
import type { AttemptView, Excerpt, RoundView, StepDetail } from './view.js';

const MOST_PROMPT_BYTES = 24_000;
const MOST_LOG_BYTES = 8_000;
/** Of a large output. */
const MOST_OUTPUT_BYTES = 8_000;
/** Earlier attempts whose conversations are shown. */
const MOST_ATTEMPTS = 4;

export interface DetailParts {
  readonly runDir: RunDir;
  readonly history: History;
  readonly files: RunFiles;
  readonly allowance: Allowance;
  /** What goes on with the run; undefined where nothing does. */
  readonly resume: string | undefined;
  /** Times of rounds, by path and number. */
  readonly roundTimes: ReadonlyMap<string, { readonly model: string; readonly ms: number }>;
}

/** Of what holds others, and of what did nothing: why. */
export function outerDetail(step: StepRecord, parts: DetailParts): StepDetail {
  return { ...NOTHING, ...factsOf(step, parts), ...whyOf(step.path, parts) };
}

/** No file is read for it. */
export function briefDetail(step: StepRecord, parts: DetailParts): StepDetail {
  const output = step.outputBlob === undefined ? outputOf(step, parts) : {};
  return { ...NOTHING, ...factsOf(step, parts), ...output, folder: folderOf(step), told: 'brief' };
}

export function wholeDetail(step: StepRecord, parts: DetailParts): StepDetail {
  const facts = { ...factsOf(step, parts), ...whyOf(step.path, parts) };
  const folder = folderOf(step);
  const left = leftIn(step, folder, parts);
  const output = outputOf(step, parts);
  const { output: small, largeOutput } = output;
  const characters =
    sizeOf(left) +
    (small === undefined ? 0 : JSON.stringify(small).length) +
    (largeOutput === undefined ? 0 : largeOutput.text.length);
  if (!parts.allowance.forStep(characters)) return { ...NOTHING, ...facts, folder, told: 'left out' };
  return { ...facts, ...left, ...output, folder, told: 'whole' };
}

const NOTHING = { attempts: [], logs: [], told: 'whole' } as const;

function factsOf(step: StepRecord, { resume }: DetailParts): Pick<StepDetail, 'fault' | 'ways' | 'files'> {
  const { fault, artifacts, status } = step;
  const ways = resume === undefined ? undefined : agentWays(resume, step);
  return {
    ...(fault ? { fault } : {}),
    ...(ways ? { ways } : {}),
    files: status === 'done' || status === 'reused' ? artifacts.map(({ path }) => path) : [],
  };
}

/** In the run's. */
function folderOf({ path }: StepRecord): string {
  return `.steps/${path}`;
}

function whyOf(path: StepPath, { history }: DetailParts): Pick<StepDetail, 'why'> {
  const explanation = explained(history, path);
  if (!explanation) return {};
  const [first = '', ...lines] = explanationText(explanation).split('\n');
  return { why: { headline: first.slice(path.length).trim(), lines: lines.map((line) => line.slice(2)) } };
}

interface Left {
  readonly prompt?: Excerpt;
  readonly attempts: readonly AttemptView[];
  readonly logs: readonly Excerpt[];
}

function leftIn(step: StepRecord, folder: string, parts: DetailParts): Left {
  const { files } = parts;
  // To look for what is not there would take longer than to read what is.
  const names = new Set(files.namesIn(folder));
  const prompt = names.has('prompt.md') ? files.excerpt(`${folder}/prompt.md`, MOST_PROMPT_BYTES) : undefined;
  const logs = ['stdout.log', 'stderr.log'].flatMap((name) =>
    names.has(name) ? (files.excerpt(`${folder}/${name}`, MOST_LOG_BYTES) ?? []) : [],
  );
  return { ...(prompt ? { prompt } : {}), attempts: attemptsOf(step, folder, parts), logs };
}

/** What a fork reuses has a conversation and no attempt. */
function attemptsOf(step: StepRecord, folder: string, parts: DetailParts): AttemptView[] {
  const { attempts, path, status } = step;
  if (attempts.length === 0) {
    const told = roundsIn(parts.files, `${folder}/transcript.ndjson`);
    return told.rounds.length === 0 ? [] : [{ number: 1, status, usage: NO_USAGE, ...told }];
  }
  return attempts.slice(-MOST_ATTEMPTS).map((attempt): AttemptView => {
    const { number, fault, usage } = attempt;
    const facts = { number, status: attempt.status, usage, ...(fault ? { fault } : {}) };
    if (attempt.rounds === 0) return { ...facts, rounds: [], moreRounds: 0 };
    const own = number === attempts.length ? folder : earlierFolder(step, number - 1, parts);
    const told = own === undefined ? { rounds: [], moreRounds: 0 } : roundsIn(parts.files, `${own}/transcript.ndjson`);
    return { ...facts, ...told, rounds: told.rounds.map((round) => timed(round, path, parts)) };
  });
}

function earlierFolder({ path, attempts }: StepRecord, at: number, { runDir }: DetailParts): string | undefined {
  return folderOfAttempt(runDir.step(path), attempts, at)?.slice(runDir.dir.length + 1);
}

/** Transcripts of earlier versions do not say which model answered. */
function timed(round: RoundView, path: StepPath, { roundTimes }: DetailParts): RoundView {
  const known = roundTimes.get(`${path} ${round.number}`);
  return known ? { ...known, ...round } : round;
}

/** A large one is a side file. */
function outputOf(
  { status, output, outputBlob }: StepRecord,
  { files }: DetailParts,
): Pick<StepDetail, 'output' | 'largeOutput'> {
  if (status !== 'done' && status !== 'reused') return {};
  if (outputBlob === undefined) return { output };
  const beginning = files.excerpt(`.steps/.blobs/${outputBlob}`, MOST_OUTPUT_BYTES);
  return beginning ? { largeOutput: beginning } : {};
}

function sizeOf({ prompt, attempts, logs }: Left): number {
  const ofRound = ({ text, reasoning, told, calls }: RoundView) =>
    text.length +
    reasoning.length +
    told.reduce((sum, one) => sum + one.length, 0) +
    calls.reduce((sum, call) => sum + call.arguments.length + (call.result?.text.length ?? 0), 0);
  const rounds = attempts.flatMap((attempt) => attempt.rounds);
  return (
    (prompt?.text.length ?? 0) +
    logs.reduce((sum, log) => sum + log.text.length, 0) +
    rounds.reduce((sum, round) => sum + ofRound(round), 0)
  );
}
