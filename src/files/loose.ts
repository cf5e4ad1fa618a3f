/** Refuses grants that lead through a link which the run itself may replace. */
import { Fault } from '../core/faults.js';
import { linksOn } from './held.js';
import { isInside } from './jail.js';
import { realPathOf } from './real-path.js';

export interface Granted {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** An earlier run may have put the link there. Throws `config.unsafe`. @param granted absolute paths */
export function refuseLoose({ read, write }: Granted): void {
  const roots = write.map(realPathOf);
  const looseLink = (path: string) =>
    linksOn(path).find((link) => roots.some((root) => root !== link && isInside(root, link)));
  const refuse = (paths: readonly string[], firm: readonly string[]) => {
    for (const path of paths) {
      const link = looseLink(path);
      const real = realPathOf(path);
      if (link === undefined || firm.some((root) => isInside(root, real))) continue;
      throw new Fault('config.unsafe', `the grant of ${path} leads by the link ${link} to ${real}`, {
        hint: `The link is in a folder that this pipeline may write, so a run may have put it there. If it is yours, grant ${real} itself; else remove it.`,
      });
    }
  };
  const firm = (paths: readonly string[]) => paths.filter((path) => looseLink(path) === undefined).map(realPathOf);
  const firmWrite = firm(write);
  refuse(write, firmWrite);
  refuse(read, [...firmWrite, ...firm(read)]);
}
