/** Tells a regular file from what must not be opened: a pipe would wait for ever, a device never end. */
import fs from 'node:fs';

/** What is there but no regular file, in words; undefined for a file, also behind a link, and for nothing at all. */
export function notRegular(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return !stat || stat.isFile() ? undefined : `${file} is not a regular file`;
}
