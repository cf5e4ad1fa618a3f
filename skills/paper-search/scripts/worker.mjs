/** What runs in the worker of one source: every query in turn, each answer posted as soon as it is there. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadSource } from './sources.mjs';

const { name, asked } = workerData;

const inYears = ({ year }) =>
  (asked.startYear === 0 || (year !== null && year >= asked.startYear)) &&
  (asked.endYear === 0 || (year !== null && year <= asked.endYear));

try {
  const { search, argument } = await loadSource(name);
  for (const query of asked.queries) {
    const { papers, note } = await search({ ...asked, query, argument, inYears });
    parentPort.postMessage({ kind: 'found', papers, note: note ?? '' });
  }
} catch (error) {
  parentPort.postMessage({ kind: 'failed', reason: String(error?.message ?? error) });
}
