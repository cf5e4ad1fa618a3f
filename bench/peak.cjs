/** Loaded before a program, it writes the program's peak memory in MB to file descriptor 3 when that ends. */
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => writeSync(3, String(peakMb())));

/** Linux counts for a process also what its parent had at the fork; only VmHWM is of the program alone. */
function peakMb() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}
