/** Asks every source in a worker of its own: one that fails, hangs or runs out of memory is reported and stops nothing. */
import { Worker } from 'node:worker_threads';

/** Longest that one source may take for all queries. */
const SOURCE_LIMIT_MS = 90_000;
const MEMORY_LIMIT_MB = 1024;
const NOTE_MAX = 300;

/** @returns one answer a source, in the order asked: `{name, status, note, papers}` */
export async function askAll(asked, memoryLimitMb = MEMORY_LIMIT_MB) {
  if (asked.parallel) return Promise.all(asked.sources.map((name) => askOne(name, asked, memoryLimitMb)));
  const answers = [];
  for (const name of asked.sources) answers.push(await askOne(name, asked, memoryLimitMb));
  return answers;
}

function askOne(name, asked, memoryLimitMb) {
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
    workerData: { name, asked },
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  });
  const found = [];
  let reason = '';
  const limit = setTimeout(() => {
    reason = `no answer within ${SOURCE_LIMIT_MS / 1000} s`;
    void worker.terminate();
  }, SOURCE_LIMIT_MS);
  worker.on('message', (message) => {
    if (message.kind === 'found') found.push(message);
    else reason = message.reason;
  });
  worker.on('error', (error) => {
    reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'its answer does not fit in memory' : String(error.message);
  });
  return new Promise((resolve) => {
    worker.on('exit', () => {
      clearTimeout(limit);
      resolve(toAnswer(name, asked, found, reason));
    });
  });
}

/** A source that answered some of the queries is `partial`: what it found is kept. */
function toAnswer(name, asked, found, reason) {
  const missing = asked.queries.length - found.length;
  const papers = found.flatMap((message) => message.papers);
  const notes = [...new Set(found.map((message) => message.note).filter(Boolean))];
  if (missing === 0) return { name, status: 'ok', note: clip(notes.join('; ')), papers };
  const why = reason || 'it stopped without an answer';
  if (found.length === 0) return { name, status: 'failed', note: clip(why), papers: [] };
  notes.push(`${found.length} of ${asked.queries.length} queries answered: ${why}`);
  return { name, status: 'partial', note: clip(notes.join('; ')), papers };
}

/** Reasons may repeat what a server said. */
function clip(note) {
  return note
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, NOTE_MAX);
}
