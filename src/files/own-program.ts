/** This program as a file that Node can be given. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside the built bundle, that of the library included; sources have none. */
const FILE = fileURLToPath(new URL('./cli.js', import.meta.url));

export function ownProgram(): string | undefined {
  return existsSync(FILE) ? FILE : undefined;
}
