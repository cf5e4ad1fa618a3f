/** Asks the program that runs this skill: a command of it, in the project, without a shell. */
import { spawnSync } from 'node:child_process';

const { PIPELINE_BIN, PIPELINE_PROJECT_DIR } = process.env;
const MAX_BYTES = 16 * 1024 * 1024;

/** @returns exit code and both streams; throws where it cannot be started or is ended by a signal */
export function ask(...words) {
  const [program, ...first] = PIPELINE_BIN ? [process.execPath, PIPELINE_BIN] : ['pipeline'];
  const ran = spawnSync(program, [...first, ...words], {
    cwd: PIPELINE_PROJECT_DIR,
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  });
  if (ran.error) throw new Error(`${program} cannot be started: ${ran.error.message}`);
  if (ran.signal) throw new Error(`pipeline ${words[0]} was ended by ${ran.signal}`);
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}
