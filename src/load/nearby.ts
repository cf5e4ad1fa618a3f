/** File names for a did-you-mean. */
import { readdirSync } from 'node:fs';

export function nearbyFiles(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** A path with another file's name at its end. */
export function besideOf(written: string, name: string): string {
  return `${written.slice(0, written.lastIndexOf('/') + 1)}${name}`;
}
