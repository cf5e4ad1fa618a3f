/** This program as a file that Node can be given. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside the built bundle, that of the library included; sources have none. */
const FILE = fileURLToPath(new URL('./cli.js', import.meta.url));

/** Asked for by every process of a step: looked for once. */
let known: { readonly file: string | undefined } | undefined;

export function ownProgram(): string | undefined {
  known ??= { file: existsSync(FILE) ? FILE : undefined };
  return known.file;
}
