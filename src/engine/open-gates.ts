/** The gates of a run that can be answered, by the name a person gives them. Only reads the journal, whoever is at work on it. */
import { join } from 'node:path';
import type { Answer } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { StepPath } from '../core/outcome.js';
import { nearest } from '../core/problems.js';
import { idsOf } from '../core/step-path.js';
import {
  type GateAnswer,
  type GateQuestion,
  personHere,
  readAnswer,
  readQuestion,
  writeAnswer,
} from '../files/answers.js';
import { lockHolder } from './lock.js';
import { readSteps, type StepRecord } from './read-steps.js';
import { runDirAt } from './run-dir.js';

export interface OpenGate {
  readonly path: StepPath;
  readonly question: GateQuestion;
  /** Holds the whole question; absolute. */
  readonly file: string;
  /** What somebody has answered to this question: the run goes on with it when it is resumed. */
  readonly answered?: GateAnswer;
  readonly status: StepRecord['status'];
  /** A process is at work on the run, and puts the question at its terminal. */
  readonly isAsking: boolean;
  /** As the person at this process, now. */
  answer(given: Answer): GateAnswer;
}

/** @param name a path, or an id that only one open gate has. Throws `input.unknown` with what waits instead. */
export function findOpenGate(dir: string, name: string): OpenGate {
  const isLive = lockHolder(dir) !== undefined;
  const steps = readSteps(runDirAt(dir).journal, isLive);
  const open = openGates(dir, steps, isLive);
  const exact = open.find(({ path }) => path === name);
  const meant = exact ? [exact] : open.filter(({ path }) => isNamed(path, name));
  const [gate, second] = meant;
  if (!gate) throw notOpen(name, steps, open);
  if (!second) return gate;
  throw new Fault('input.unknown', `"${name}" is the name of ${meant.length} gates that wait`, {
    hint: `Name one of them: ${pathsOf(meant)}`,
  });
}

/** @param isLive a process is at work on the run */
export function openGates(dir: string, steps: readonly StepRecord[], isLive: boolean): OpenGate[] {
  return steps.flatMap((step): OpenGate[] => {
    const { path, status } = step;
    if (!canBeAnswered(step)) return [];
    const { dir: folder } = runDirAt(dir).step(path);
    const question = readQuestion(folder);
    if (!question) return [];
    const answer: OpenGate['answer'] = (given) => {
      const whole = { key: question.key, ...given, by: personHere(), at: new Date().toISOString() };
      writeAnswer(folder, whole);
      return whole;
    };
    const known = readAnswer(folder);
    const answered = typeof known === 'object' && known.key === question.key ? { answered: known } : {};
    const file = join(folder, 'question.json');
    return [{ path, question, file, status, ...answered, isAsking: isLive && status === 'running', answer }];
  });
}

/** Also one that was cut off, that failed because nobody was there, or whose answer ended the run: a resume comes to it again. */
function canBeAnswered({ status }: StepRecord): boolean {
  return status !== 'done' && status !== 'reused' && status !== 'skipped';
}

function isNamed(path: StepPath, name: string): boolean {
  const ids = idsOf(path);
  return ids === name || ids.split('/').at(-1) === name;
}

function notOpen(name: string, steps: readonly StepRecord[], open: readonly OpenGate[]): Fault {
  const step = steps.find(({ path }) => path === name) ?? steps.findLast(({ path }) => isNamed(path, name));
  const others = open.length > 0 ? `Gates that wait: ${pathsOf(open)}` : 'No gate of this run waits.';
  if (step?.status === 'waiting') {
    return new Fault('input.unknown', `"${step.path}" waits, but not for a choice`, {
      hint: 'pipeline resume says what it waits for.',
    });
  }
  if (step) {
    return new Fault('input.unknown', `"${step.path}" does not wait for an answer: it is ${step.status}`, {
      hint: others,
    });
  }
  const near = nearest(
    name,
    open.flatMap(({ path }) => [path, path.split('/').at(-1) ?? path]),
  );
  return new Fault('input.unknown', `no gate "${name}" waits in this run`, {
    hint: near ? `Did you mean "${near}"?` : others,
  });
}

function pathsOf(gates: readonly OpenGate[]): string {
  const paths = gates.slice(0, 12).map(({ path }) => path);
  return `${paths.join(', ')}${gates.length > paths.length ? ', …' : ''}`;
}
