/** Runs a script of a bundled skill as a real process. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SKILLS = fileURLToPath(new URL('../../skills/', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param script relative to skills/, e.g. `now/scripts/now.mjs` */
export function runScript(
  script: string,
  args: readonly string[] = [],
  more: { readonly stdin?: unknown; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Ran {
  const ran = spawnSync(process.execPath, [`${SKILLS}${script}`, ...args], {
    encoding: 'utf8',
    input: more.stdin === undefined ? '' : JSON.stringify(more.stdin),
    env: { PATH: process.env.PATH ?? '', ...more.env },
    ...(more.cwd === undefined ? {} : { cwd: more.cwd }),
  });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

/** A module of a bundled skill; its functions are plain JavaScript. */
// biome-ignore lint/suspicious/noExplicitAny: the scripts carry no types
export async function importScript(script: string): Promise<any> {
  return import(`${SKILLS}${script}`);
}
