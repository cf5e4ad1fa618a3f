/** What gates ask, with the answers they are given: files in the folder of the step, which no tool of an agent may write. */
import fs, { constants } from 'node:fs';
import { watch } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isObject, type Json, parseJson } from '../core/json.js';
import { writeFileAtomic } from './atomic-write.js';
import { errorCode } from './layer.js';

export interface GateQuestion {
  /** Hash of all that is shown: an answer holds for this and nothing else. */
  readonly key: string;
  readonly title: string;
  readonly ask: string;
  readonly choices: readonly string[];
  readonly reject: readonly string[];
}

export interface GateAnswer {
  /** Of the question that was answered. */
  readonly key: string;
  readonly choice: string;
  /** '' if none. */
  readonly comment: string;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

const QUESTION = 'question.json';
const ANSWER = 'answer.json';
/** Longer ones were not written by us. */
const MAX_BYTES = 64 * 1024 * 1024;

export function writeQuestion(stepDir: string, question: GateQuestion): void {
  writeFileAtomic(join(stepDir, QUESTION), JSON.stringify(question, null, 2), { durable: true });
}

/** Undefined if nothing was asked there, or what is there cannot be understood. */
export function readQuestion(stepDir: string): GateQuestion | undefined {
  const read = readJson(join(stepDir, QUESTION));
  return isQuestion(read) ? read : undefined;
}

/** Of several at once the last one stays, whole. */
export function writeAnswer(stepDir: string, answer: GateAnswer): void {
  writeFileAtomic(join(stepDir, ANSWER), JSON.stringify(answer, null, 2), { durable: true });
}

export function readAnswer(stepDir: string): GateAnswer | 'damaged' | undefined {
  const read = readJson(join(stepDir, ANSWER));
  if (read === undefined) return undefined;
  return isAnswer(read) ? read : 'damaged';
}

/** The answer to this question as soon as somebody writes it. Rejects with the signal's reason. */
export async function answerOf(stepDir: string, { key }: GateQuestion, signal: AbortSignal): Promise<GateAnswer> {
  const given = () => {
    const answer = readAnswer(stepDir);
    return typeof answer === 'object' && answer.key === key ? answer : undefined;
  };
  try {
    const changes = watch(stepDir, { persistent: false, signal })[Symbol.asyncIterator]();
    for (;;) {
      const change = changes.next();
      const answer = given();
      if (answer) {
        change.catch(() => undefined);
        return answer;
      }
      if ((await change).done) break;
    }
  } catch {
    // Folders that cannot be watched: then the answer is found at the next resume.
  }
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The person at this process, as the system names them. */
export function personHere(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

function isQuestion(value: unknown): value is GateQuestion {
  if (!isObject(value)) return false;
  const { key, title, ask, choices, reject } = value;
  return [key, title, ask].every(isText) && isTexts(choices) && isTexts(reject);
}

function isAnswer(value: unknown): value is GateAnswer {
  if (!isObject(value)) return false;
  return [value.key, value.choice, value.comment, value.by, value.at].every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** Undefined if it is not there; null if it is no JSON, or not a plain file. */
function readJson(file: string): Json | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'ELOOP') return null;
    throw error;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile() || stat.size > MAX_BYTES) return null;
    return parseJson(fs.readFileSync(fd, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}
