/** The least time between two requests to one source, kept by every search on the machine together. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOurs } from './cache.mjs';

/** More turns than this ahead are not waited for: the source's own limit ends it sooner. */
const MAX_AHEAD = 1000;

const clock = { now: () => Date.now(), wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };

/** By source: the last turn of this process, for when there is no folder. */
const last = new Map();

/**
 * Waits until it is this request's turn. Time is cut into slots of `distanceMs`; whoever creates a slot's file first has it.
 * @param folder that of the cache, '' for none: then only this process keeps the distance
 * @returns the turn, in ms
 */
export async function turn(source, distanceMs, folder, { now, wait } = clock) {
  const distance = distanceOr(distanceMs);
  if (distance === 0) return now();
  const shared = (await isOurs(folder)) ? await takeSlot(source, distance, folder, now()) : undefined;
  const at = Math.max(shared ?? now(), (last.get(source) ?? 0) + distance);
  last.set(source, at);
  const waitMs = at - now();
  if (waitMs > 0) await wait(waitMs);
  return at;
}

async function takeSlot(source, distance, folder, nowMs) {
  const first = Math.floor(nowMs / distance);
  for (let slot = first; slot < first + MAX_AHEAD; slot++) {
    const before = await turnIn(slotFile(folder, source, slot - 1), slot * distance);
    const at = Math.max(nowMs, slot * distance, before + distance);
    try {
      await writeFile(slotFile(folder, source, slot), String(at), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (error.code === 'EEXIST') continue;
      return undefined;
    }
    await forget(folder, source, first - 2);
    return at;
  }
  return undefined;
}

/** @param end of the slot: the latest its turn can be, when its file is not yet written whole */
async function turnIn(file, end) {
  const written = await readFile(file, 'utf8').catch(() => undefined);
  if (written === undefined) return Number.NEGATIVE_INFINITY;
  const at = Number(written);
  return written !== '' && at < end ? at : end;
}

async function forget(folder, source, before) {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, of, slot] = /^turn-([a-z_]+)-(\d+)$/.exec(name) ?? [];
    if (of === source && Number(slot) < before) await rm(join(folder, name), { force: true });
  }
}

function slotFile(folder, source, slot) {
  return join(folder, `turn-${source}-${slot}`);
}

/** PAPER_SEARCH_DISTANCE_MS stands for every source's own distance. */
function distanceOr(distanceMs) {
  const given = process.env.PAPER_SEARCH_DISTANCE_MS ?? '';
  return /^\d{1,6}$/.test(given) ? Number(given) : distanceMs;
}
