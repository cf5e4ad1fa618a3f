/** A project in a temporary folder, and runs of its pipelines by the library. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import type { Json } from '../../src/core/json.js';
import type { RunReport, RunRequest } from '../../src/request.js';
import { runPipeline } from '../../src/run.js';

export type Report = Exclude<RunReport, { status: 'invalid' }>;

export interface TestProject {
  readonly dir: string;
  write(path: string, content: string | Json): void;
  read(path: string): string;
  /** Runs `pipeline.yaml` of the project; throws with the problems when it is not valid. */
  run(request?: Partial<RunRequest>): Promise<Ran>;
  /** As `run`, for a pipeline that must be refused. */
  refused(request?: Partial<RunRequest>): Promise<Extract<RunReport, { status: 'invalid' }>>;
}

export interface Ran extends Report {
  readonly events: readonly Recorded[];
  /** Paths of the events of one type. */
  paths(type: Recorded['type']): string[];
  file(path: string): string;
  /** Published files, sorted; without the runner's own. */
  files(): string[];
}

const OWN = new Set(['run.json', 'events.ndjson', 'report.html']);

export function project(files: Readonly<Record<string, string | Json>>): TestProject {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const write = (path: string, content: string | Json) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  };
  mkdirSync(join(dir, 'skills'));
  for (const [path, content] of Object.entries(files)) write(path, content);

  const start = async (request: Partial<RunRequest>) => {
    const events: Recorded[] = [];
    const report = await runPipeline({
      target: './pipeline.yaml',
      query: 'a query',
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir },
      model: 'sketch',
      detect: false,
      ...request,
      sinks: [{ write: (event) => events.push(event) }, ...(request.sinks ?? [])],
    });
    return { report, events };
  };
  return {
    dir,
    write,
    read: (path) => readFileSync(join(dir, path), 'utf8'),
    async run(request = {}) {
      const { report, events } = await start(request);
      if (report.status === 'invalid') throw new Error(JSON.stringify([report.problems, report.inputs], null, 1));
      return {
        ...report,
        events,
        paths: (type) => events.flatMap((event) => (event.type === type && 'path' in event ? [event.path] : [])),
        file: (path) => readFileSync(join(report.dir, path), 'utf8'),
        files: () => published(report.dir),
      };
    },
    async refused(request = {}) {
      const { report } = await start(request);
      if (report.status !== 'invalid') throw new Error(`it ran: ${report.status}`);
      return report;
    },
  };
}

function published(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .filter((path) => !path.startsWith('.') && !OWN.has(path))
    .sort();
}
