/** Runs a program as people do with execa alone: `cleanup`, and KILL two seconds after TERM. Usage: <program> [<argument>]... */
import { execa } from 'execa';

const [program, ...args] = process.argv.slice(2);
const child = execa(program, args, {
  cleanup: true,
  forceKillAfterDelay: 2_000,
  stdin: 'ignore',
  reject: false,
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    child.kill();
    process.on(signal, () => child.kill('SIGKILL'));
  });
}
await child;
