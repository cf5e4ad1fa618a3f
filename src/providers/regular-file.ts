/** Reads a file that a person named only if it is one: a pipe would never open, a device never end. */
import fs from 'node:fs';

/** What is there but no regular file, in words; undefined for a file, also behind a link, and for nothing at all. */
export function notRegular(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return !stat || stat.isFile() ? undefined : `${file} is not a regular file`;
}
