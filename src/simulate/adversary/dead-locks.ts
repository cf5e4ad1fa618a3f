/** The locks of a process that was killed: they say that it is no more. */
import { isObject, jsonIn } from '../../core/json.js';
import type { Disk } from '../disk/disk.js';

/** @param dir the run folder; undefined where there is none yet */
export function buryLocks(disk: Disk, dir: string | undefined, pid: number): void {
  if (dir === undefined || !disk.stat(dir, true)) return;
  for (const { name } of disk.list(dir)) {
    if (!name.startsWith('.lock')) continue;
    const file = `${dir}/${name}`;
    const holder = jsonIn(disk.readFile(file).toString());
    if (!isObject(holder)) continue;
    const fd = disk.open(file, 'w');
    disk.write(fd, Buffer.from(JSON.stringify({ ...holder, pid, started: 'gone' })));
    disk.close(fd);
  }
}
