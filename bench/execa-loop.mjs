/** The floor that shell steps are held against: one bash line through execa, in a bare loop. Usage: <times> <at once> */
import { execa } from 'execa';

const BASH = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', 'true'];
const [times, atOnce] = process.argv.slice(2).map(Number);

const runBash = () => execa('bash', BASH, { stdin: 'ignore' });

await runBash();
const begun = performance.now();
let started = 0;
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (started < times) {
      started++;
      await runBash();
    }
  }),
);
process.stdout.write(`${(performance.now() - begun) / times}\n`);
