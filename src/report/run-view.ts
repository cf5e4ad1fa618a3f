/** Reads a run folder into what a report says of it. */
import { dirname, isAbsolute, relative } from 'node:path';
import type { Recorded, UsageTotal } from '../core/events.js';
import { Fault } from '../core/faults.js';
import { approveLine } from '../core/gate.js';
import { plainText } from '../core/plain-text.js';
import type { Redactor } from '../core/secrets.js';
import { shellWord } from '../core/shell-word.js';
import { idsOf } from '../core/step-path.js';
import { NO_USAGE, withEvent } from '../core/usage.js';
import { createCounts } from '../engine/census.js';
import { lockHolder } from '../engine/lock.js';
import { openGates } from '../engine/open-gates.js';
import { type StepRecord, stepsOf } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { type RunFile, readRunFile } from '../engine/run-file.js';
import { readRecords } from '../engine/run-records.js';
import { canGoOn } from '../engine/run-status.js';
import { nameOfRun, resumeCommand } from '../engine/ways-on.js';
import { withStatus } from '../graph/marks.js';
import { createAllowance } from './allowance.js';
import { keptGraph } from './keep-graph.js';
import { publishedFiles } from './published.js';
import { createRunFiles, type RunFiles } from './run-files.js';
import { detailsOf } from './step-details.js';
import { stepTree } from './step-tree.js';
import { timelineOf } from './timeline.js';
import type { GateView, RunView } from './view.js';

export interface ViewOptions {
  /** Finds secrets in what steps left; what is journaled holds none. */
  readonly redactor?: Redactor | undefined;
  /** It is just being ended by this process, which holds its lock: nothing is at work on it any more. */
  readonly isEnding?: boolean;
}

/** Throws `input.unknown` for a folder that is no run's. @param dir absolute */
export function runView(dir: string, { redactor, isEnding = false }: ViewOptions = {}): RunView {
  const run = readRunFile(dir);
  if (!run) throw new Fault('input.unknown', `${dir} is not a run folder`);
  const runDir = runDirAt(dir);
  const files = createRunFiles(dir, redactor);
  const told = readRecords(dir);
  const { records } = told;
  const isLive = !isEnding && lockHolder(dir) !== undefined;
  const steps = stepsOf(records, isLive);
  const plan = keptGraph(dir);
  const counts = createCounts();
  for (const record of records) counts.add(record);
  const opening = records.find((record) => record.type === 'run_started');
  const ended = endOf(records);
  const status = ended?.status ?? (isLive ? 'running' : 'interrupted');
  const name = nameOfRun(dir);
  const resume = canGoOn(status) ? plainText(resumeCommand(name, run.with ?? {})) : undefined;
  const kinds = new Map((plan?.nodes ?? []).map((node) => [node.path, node.kind]));
  const timeline = timelineOf(records, (path) => kinds.get(idsOf(path)) === 'gate', isLive ? Date.now() : undefined);
  const allowance = createAllowance();
  const published = publishedFiles(steps, files, allowance);
  const details = detailsOf(steps, {
    told,
    runDir,
    files,
    allowance,
    resume,
  });
  const last = timeline.sessions.at(-1);
  return {
    name,
    run: run.run,
    skill: run.skill,
    slug: run.slug,
    query: opening?.query ?? files.clean(run.query),
    status,
    outcome: ended?.outcome ?? '',
    message: ended?.message ?? '',
    ...(ended?.fault ? { fault: ended.fault } : {}),
    ...(ended ? { exit: ended.exit, result: ended.result } : {}),
    isPlaceholder: run.placeholder,
    started: run.started,
    ...(last && !isLive ? { ended: new Date(last.to).toISOString() } : {}),
    ms: timeline.sessions.reduce((sum, { from, to }) => sum + to - from, 0),
    census: ended?.census ?? counts.census(),
    usage: counts.usage(),
    models: modelsOf(records),
    steps: stepTree({ steps, records, graph: plan, timeline, details }),
    graph: plan && withStatus(plan, steps).graph,
    timeline,
    files: published,
    gates: gatesOf(dir, steps, isLive, files),
    notices: records.flatMap((record) => (record.type === 'notice' ? [record.text] : [])),
    facts: factsOf(
      dir,
      run,
      files,
      opening,
      timeline.sessions.map(({ from }) => new Date(from).toISOString()),
    ),
    commands: { ...(resume === undefined ? {} : { resume }), show: `pipeline show ${shellWord(name)}` },
    isCut: allowance.isSpent(),
  };
}

type Ended = Extract<Recorded, { type: 'run_ended' }>;

/** Undefined while the last session has not ended. */
function endOf(records: readonly Recorded[]): Ended | undefined {
  const last = records.findLast(({ type }) => type === 'run_ended' || type === 'run_resumed' || type === 'run_started');
  return last?.type === 'run_ended' ? last : undefined;
}

function modelsOf(records: readonly Recorded[]): RunView['models'] {
  const byLabel = new Map<string, UsageTotal>();
  for (const event of records)
    if (event.type === 'round') byLabel.set(event.model, withEvent(byLabel.get(event.model) ?? NO_USAGE, event));
  return [...byLabel].map(([label, usage]) => ({ label, usage }));
}

/** Not one whose answer ended the run, or that failed: its fault says how it is answered. */
function gatesOf(dir: string, steps: readonly StepRecord[], isLive: boolean, { clean }: RunFiles): GateView[] {
  return openGates(dir, steps, isLive)
    .filter(({ status }) => status !== 'ended' && status !== 'failed')
    .map(({ path, question: { title, ask, choices }, answered }) => ({
      path,
      title: clean(title),
      question: clean(ask),
      choices: choices.map(clean),
      command: approveLine(nameOfRun(dir), { path, choices: choices.map(clean) }),
      ...(answered ? { answered: clean(answeredText(answered)) } : {}),
    }));
}

function answeredText({
  choice,
  by,
  at,
  comment,
}: {
  choice: string;
  by: string;
  at: string;
  comment: string;
}): string {
  return `${choice}, by ${by} at ${at.slice(0, 19).replace('T', ' ')}${comment === '' ? '' : `: ${comment}`}`;
}

/** Without what is the machine's own: from the folder that holds the runs' folder on. Elsewhere a path stays as it is. */
function inProject(dir: string, path: string): string {
  const below = relative(dirname(dirname(dirname(dir))), path);
  return below.startsWith('..') || isAbsolute(below) ? path : below;
}

function factsOf(
  dir: string,
  run: RunFile,
  { clean }: RunFiles,
  opening: Extract<Recorded, { type: 'run_started' }> | undefined,
  sessions: readonly string[],
): RunView['facts'] {
  const { file, version, node, inputFiles, overrides = {}, fork } = run;
  const cleanMap = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [clean(key), clean(value)]));
  return {
    dir: inProject(dir, dir),
    file: inProject(dir, file),
    version,
    node,
    inputs: opening?.inputs ?? {},
    inputFiles: cleanMap(inputFiles),
    overrides: cleanMap(overrides),
    ...(fork ? { fork } : {}),
    sessions,
  };
}
