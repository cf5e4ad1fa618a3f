/** The state of a run folder as one hash over its files, so that a loop that changes nothing is seen. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';

/** Files of the runner, in the folder of a run; what begins with a dot is its own as well. */
const OWN = new Set(['run.json', 'events.ndjson', 'report.html', 'transcript.md']);
/** Of a larger file only size and time of change count. */
const READ_BYTES = 4 * 1024 * 1024;

export function snapshotOf(runDir: string): string {
  const hash = createHash('sha256');
  for (const path of filesIn(runDir, '').sort()) hash.update(`${path}\0${contentOf(join(runDir, path))}\0`);
  return hash.digest('hex').slice(0, 16);
}

/** Its files, each with what changes when it is written. */
export function stampsIn(runDir: string): ReadonlyMap<string, string> {
  const files = filesIn(runDir, '').filter((path) => !path.endsWith('/'));
  return new Map(files.map((path) => [path, stampOf(join(runDir, path))]));
}

function stampOf(file: string): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : 'gone';
}

/** Links are not followed. */
function filesIn(root: string, folder: string): string[] {
  return fs.readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || (folder === '' && OWN.has(entry.name))) return [];
    return entry.isDirectory() ? [`${path}/`, ...filesIn(root, path)] : [path];
  });
}

function contentOf(file: string): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return 'gone';
  if (!stat.isFile()) return `${stat.mode}`;
  if (stat.size > READ_BYTES) return `${stat.size} ${stat.mtimeMs}`;
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}
