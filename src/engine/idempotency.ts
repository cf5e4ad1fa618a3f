/** PIPELINE_STEP_KEY: the same for a step over retries, resumes and a move among the items of its loop; another for each of two equal items. */
import { hashJson } from '../core/json.js';
import type { Key, StepPath, Where } from '../core/outcome.js';

export interface Idempotency {
  /** 32 hex digits. */
  keyFor(where: Where, key: Key): string;
}

export function createIdempotency(runId: string): Idempotency {
  /** Family and key → the paths that have asked, in order. */
  const asked = new Map<string, StepPath[]>();
  return {
    keyFor({ path, family }, key) {
      const place = `${family} ${key.hash}`;
      const paths = asked.get(place) ?? [];
      asked.set(place, paths);
      if (!paths.includes(path)) paths.push(path);
      return hashJson([runId, family, key.hash, paths.indexOf(path)]).slice(0, 32);
    },
  };
}
