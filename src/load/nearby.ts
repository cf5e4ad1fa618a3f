/** File names for a did-you-mean. */
import { readdirSync } from 'node:fs';

export function nearbyFiles(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
