/** The files that a step of a skill which its script drives wrote in the run folder: they are published by nobody, its output names them. */
import { isAbsolute } from 'node:path';
import { isObject, type Json } from './json.js';
import type { StepPath } from './outcome.js';

/** So many of one command are named. */
export const MOST_WRITTEN = 200;

const INNER = /(?:^|\/)rounds\/\d+\/(subagent|command)$/;

/** Relative to the run folder; none for any other step. */
export function writtenBy(path: StepPath, output: Json): readonly string[] {
  const kind = INNER.exec(path)?.[1];
  if (kind === undefined || !isObject(output)) return [];
  const { wrote } = output;
  if (kind === 'subagent') return typeof wrote === 'string' && isBelow(wrote) ? [wrote] : [];
  return Array.isArray(wrote) ? wrote.filter((one) => typeof one === 'string' && isBelow(one)).map(String) : [];
}

function isBelow(path: string): boolean {
  return path !== '' && !isAbsolute(path) && !path.split('/').includes('..');
}
