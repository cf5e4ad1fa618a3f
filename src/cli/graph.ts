/** pipeline graph: a skill's steps as a tree, a drawing or data; of a run with what became of each. */
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { hasErrors } from '../core/problems.js';
import { shellWord } from '../core/shell-word.js';
import { findRun } from '../engine/find-run.js';
import { lockHolder } from '../engine/lock.js';
import { readSteps } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { type RunFile, readRunFile } from '../engine/run-file.js';
import { type Graph, graphOf } from '../graph/graph.js';
import { withStatus } from '../graph/marks.js';
import { mermaidText } from '../graph/mermaid.js';
import { svgText } from '../graph/svg.js';
import { runsDirOf } from '../load/project.js';
import { problemsText } from '../load/report.js';
import { findSkill } from '../load/skills.js';
import type { Surroundings } from '../request.js';
import { checkPipeline, openProject } from '../run.js';
import { type TreeScreen, treeText } from './graph-tree.js';
import { columnsOfScreen, printJson, printResult, say } from './output.js';

type Format = 'ascii' | 'mermaid' | 'svg' | 'json';

export interface GraphOptions {
  readonly format: Format;
  readonly run?: string;
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

/** @param what a skill, a file, or a run */
export async function graphCommand(what: string, options: GraphOptions): Promise<void> {
  const format = formatOf(options);
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const { target, run } = meant(what, options.run, around);
  const { plan, problems } = await checkPipeline(target, around, { overrides: run?.file.overrides ?? {} });
  if (problems.length > 0) say(problemsText(problems, { cwd: around.cwd }));
  if (!plan || hasErrors(problems)) {
    process.exitCode = 2;
    if (format === 'json') printJson({ problems });
    return;
  }
  if (run) refuseOther(plan.name, run);
  const graph = graphOf(plan);
  await print(run ? ofRun(graph, run.dir) : graph, format);
}

/** `ascii` is what a command line without `--format` comes with. */
function formatOf({ format, json }: GraphOptions): Format {
  if (!json) return format;
  if (format !== 'json' && format !== 'ascii')
    throw new Fault('input.invalid', `--json and --format ${format} exclude each other`);
  return 'json';
}

interface MeantRun {
  readonly dir: string;
  readonly file: RunFile;
}

interface Meant {
  readonly target: string;
  readonly run?: MeantRun;
}

function meant(what: string, named: string | undefined, around: Surroundings): Meant {
  const { dir: projectDir, places } = openProject(around);
  const root = runsDirOf(projectDir);
  if (named !== undefined) {
    const run = runAt(findRun(named, root, around.cwd) ?? findRun(`${what}/${named}`, root, around.cwd));
    if (run) return { target: what, run };
    const hint = '`pipeline runs` lists the runs there are.';
    throw new Fault('input.unknown', `There is no run "${named}".`, { hint });
  }
  const isFile = /\.(ya?ml|md)$/i.test(what);
  if (isFile || (!what.includes('/') && findSkill(what, places).dir !== undefined)) return { target: what };
  const run = runAt(findRun(what, root, around.cwd));
  return run ? { target: run.file.file, run } : { target: what };
}

function runAt(dir: string | undefined): MeantRun | undefined {
  const file = dir === undefined ? undefined : readRunFile(dir);
  return dir === undefined || file === undefined ? undefined : { dir, file };
}

/** Steps of one skill say nothing of a run of another. */
function refuseOther(name: string, { file: { skill, slug } }: MeantRun): void {
  if (skill === name) return;
  throw new Fault('input.invalid', `The run ${skill}/${slug} is of the skill "${skill}", not of "${name}".`, {
    hint: `Write pipeline graph ${shellWord(`${skill}/${slug}`)}`,
  });
}

function ofRun(graph: Graph, dir: string): Graph {
  const steps = readSteps(runDirAt(dir).journal, lockHolder(dir) !== undefined);
  const marked = withStatus(graph, steps);
  if (marked.gone.length > 0) {
    const names = marked.gone.slice(0, 8).map(plainText).join(', ');
    say(`! The run also has steps that the pipeline no longer has: ${names}${marked.gone.length > 8 ? ', …' : ''}`);
  }
  return marked.graph;
}

async function print(graph: Graph, format: Format): Promise<void> {
  switch (format) {
    case 'json':
      return printJson(graph);
    case 'mermaid':
      return printResult(mermaidText(graph));
    case 'svg':
      return printResult(await svgText(graph));
    case 'ascii':
      process.stdout.write(`${treeText(graph, screenOfStdout())}\n`);
  }
}

function screenOfStdout(): TreeScreen {
  const { stdout, env } = process;
  const color = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return { columns: stdout.isTTY ? columnsOfScreen(stdout) : undefined, color };
}
