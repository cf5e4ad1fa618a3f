/** Keeps in a run folder what a report draws of the plan: the journal does not hold it, and its file may change. */
import fs from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json } from '../core/json.js';
import type { Plan } from '../core/plan.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { type Graph, graphOf } from '../graph/graph.js';

/** The plan that this session walks. @param dir absolute: the run folder */
export function keepGraph(dir: string, plan: Plan): void {
  writeFileAtomic(fileIn(dir), JSON.stringify(graphOf(plan)), { durable: false });
}

/** Undefined where there is none: runs of earlier versions have kept none. */
export function keptGraph(dir: string): Graph | undefined {
  try {
    const value = JSON.parse(fs.readFileSync(fileIn(dir), 'utf8')) as Json;
    const isGraph = isObject(value) && Array.isArray(value.nodes) && Array.isArray(value.edges);
    return isGraph ? (value as unknown as Graph) : undefined;
  } catch {
    return undefined;
  }
}

function fileIn(dir: string): string {
  return join(dir, '.steps', '.graph.json');
}
