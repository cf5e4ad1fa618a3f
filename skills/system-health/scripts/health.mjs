#!/usr/bin/env node
/** Measures load, memory, disk and uptime, and compares them with thresholds. */
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { availableParallelism, freemem, hostname, loadavg, platform, release, totalmem, uptime } from 'node:os';

const bounds = { load: 1.5, memory: 90, disk: 90 };
for (const word of process.argv.slice(2)) {
  const [, name, value] = /^--(load|memory|disk)=(\d+(?:\.\d+)?)$/.exec(word) ?? [];
  if (!name || Number(value) === 0) {
    process.stderr.write('node health.mjs [--load=<per core>] [--memory=<percent>] [--disk=<percent>]\n');
    process.exit(word === '--help' ? 0 : 2);
  }
  bounds[name] = Number(value);
}

/** Bytes that programs could still get; macOS counts pages that can be reclaimed at once. */
function availableMemory() {
  if (platform() !== 'darwin') return freemem();
  try {
    const report = execFileSync('vm_stat', { encoding: 'utf8', timeout: 5000 });
    const pageBytes = Number(/page size of (\d+) bytes/.exec(report)?.[1] ?? 4096);
    const pages = ['free', 'inactive', 'speculative', 'purgeable'].map((kind) =>
      Number(new RegExp(`Pages ${kind}:\\s+(\\d+)`).exec(report)?.[1] ?? 0),
    );
    return Math.min(totalmem(), pageBytes * pages.reduce((sum, count) => sum + count, 0));
  } catch {
    return freemem();
  }
}

const gigabytes = (bytes) => Math.round((bytes / 2 ** 30) * 10) / 10;
const percent = (part, whole) => (whole > 0 ? Math.round((part / whole) * 1000) / 10 : 0);

const cores = availableParallelism();
const [load1, load5, load15] = loadavg().map((load) => Math.round(load * 100) / 100);
const memory = { total: totalmem(), available: availableMemory() };
const volume = statfsSync(process.env.PIPELINE_PROJECT_DIR ?? '.');
const disk = { total: volume.blocks * volume.bsize, available: volume.bavail * volume.bsize };

const loadPerCore = Math.round((load5 / cores) * 100) / 100;
const memoryUsed = percent(memory.total - memory.available, memory.total);
const diskUsed = percent(disk.total - disk.available, disk.total);
const hours = Math.floor(uptime() / 3600);

const warnings = [];
if (loadPerCore > bounds.load) warnings.push(`load is ${loadPerCore} per core (bound ${bounds.load})`);
if (memoryUsed > bounds.memory) warnings.push(`${memoryUsed} % of memory is in use (bound ${bounds.memory} %)`);
if (diskUsed > bounds.disk) warnings.push(`${diskUsed} % of the disk is in use (bound ${bounds.disk} %)`);

const rows = [
  ['load, 1 / 5 / 15 min', `${load1} / ${load5} / ${load15} on ${cores} cores`, `${loadPerCore} per core`],
  ['memory', `${gigabytes(memory.available)} of ${gigabytes(memory.total)} GiB available`, `${memoryUsed} % in use`],
  ['disk', `${gigabytes(disk.available)} of ${gigabytes(disk.total)} GiB available`, `${diskUsed} % in use`],
  ['uptime', `${Math.floor(hours / 24)} d ${hours % 24} h`, `${platform()} ${release()}`],
];
const verdict = warnings.length === 0 ? 'healthy' : `attention: ${warnings.join('; ')}`;
const table = [['what', 'measured', 'share'], ['---', '---', '---'], ...rows]
  .map((row) => `| ${row.join(' | ')} |`)
  .join('\n');

const health = {
  status: warnings.length === 0 ? 'healthy' : 'attention',
  warnings,
  host: hostname(),
  load: { one: load1, five: load5, fifteen: load15, cores, per_core: loadPerCore },
  memory: { total_bytes: memory.total, available_bytes: memory.available, used_percent: memoryUsed },
  disk: { total_bytes: disk.total, available_bytes: disk.available, used_percent: diskUsed },
  uptime_seconds: Math.floor(uptime()),
  report: `System health: ${verdict}\n\n${table}`,
};
process.stdout.write(process.env.PIPELINE_OUTPUT ? JSON.stringify(health) : `${health.report}\n`);
