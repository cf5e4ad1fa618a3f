/** The first process in the sandbox: it looks whether the folders that it was given are those that were judged. */
import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs';
import { Fault } from '../core/faults.js';

/** Of Linux, which Node does not name: the file is not opened, only held. */
const O_PATH = 0x200000;

/** The command sees nothing of it: not in its environment, nor among the processes. */
const SCRIPT = `expected=$1 n=$2
shift 2
if [ "$(stat -c %d:%i -- "\${@:1:n}")" != "$expected" ]; then
  echo "a granted folder was replaced while the sandbox was made: nothing was run" >&2
  exit 126
fi
shift "$n"
exec env -u SHLVL -u _ "$@"`;

/**
 * What to put before a command. Another command may replace a folder between the judgement and the mount, but no longer what is mounted.
 * Throws `step.path` if one was replaced by now.
 * @param paths absolute, without links
 */
export function witness(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const expected = paths.map(identityOf).join('\n');
  return ['bash', '--noprofile', '--norc', '-c', SCRIPT, 'witness', expected, String(paths.length), ...paths];
}

function identityOf(path: string): string {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    if (readlinkSync(`/proc/self/fd/${fd}`) !== path) {
      throw new Fault('step.path', `${path} was refused: a link was put in its way.`);
    }
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return `${dev}:${ino}`;
  } finally {
    closeSync(fd);
  }
}
