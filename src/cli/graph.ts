/** pipeline graph: a skill's steps as a tree, a drawing or data; of a run with what became of each. */
import { join } from 'node:path';
import { columnsOf, cutTo } from '../core/columns.js';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { hasErrors } from '../core/problems.js';
import { findRun } from '../engine/find-run.js';
import { lockHolder } from '../engine/lock.js';
import { readSteps } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { readRunFile } from '../engine/run-file.js';
import { type Graph, type GraphNode, graphOf, type NodeStatus } from '../graph/graph.js';
import { MARKS } from '../graph/labels.js';
import { withStatus } from '../graph/marks.js';
import { mermaidText } from '../graph/mermaid.js';
import { svgText } from '../graph/svg.js';
import { type TreeRow, treeRows } from '../graph/tree.js';
import { problemsText } from '../load/report.js';
import { findSkill } from '../load/skills.js';
import { checkPipeline, openProject } from '../run.js';
import { printJson, printResult, say } from './output.js';

type Format = 'ascii' | 'mermaid' | 'svg' | 'json';

export interface GraphOptions {
  readonly format: Format;
  readonly run?: string;
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

/** @param what a skill, a file, or a run */
export async function graphCommand(what: string, options: GraphOptions): Promise<void> {
  const format = options.json ? 'json' : options.format;
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const { target, dir } = meant(what, options);
  const { plan, problems } = await checkPipeline(target, around);
  if (problems.length > 0) say(problemsText(problems, { cwd: around.cwd }));
  if (!plan || hasErrors(problems)) {
    process.exitCode = 2;
    if (format === 'json') printJson({ problems });
    return;
  }
  const graph = graphOf(plan);
  await print(dir === undefined ? graph : ofRun(graph, dir), format);
}

interface Meant {
  readonly target: string;
  /** Of the run. */
  readonly dir?: string;
}

function meant(what: string, options: GraphOptions): Meant {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const { dir: projectDir, places } = openProject(around);
  const root = join(projectDir, 'skill_run');
  if (options.run !== undefined) {
    const dir = findRun(options.run, root, around.cwd) ?? findRun(`${what}/${options.run}`, root, around.cwd);
    if (dir !== undefined) return { target: what, dir };
    const hint = '`pipeline runs` lists the runs there are.';
    throw new Fault('input.unknown', `There is no run "${options.run}".`, { hint });
  }
  const isFile = /\.(ya?ml|md)$/i.test(what);
  if (isFile || (!what.includes('/') && findSkill(what, places).dir !== undefined)) return { target: what };
  const dir = findRun(what, root, around.cwd);
  const file = dir === undefined ? undefined : readRunFile(dir)?.file;
  return dir === undefined || file === undefined ? { target: what } : { target: file, dir };
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

export interface TreeScreen {
  /** Longer lines are cut; undefined where nobody looks at it. */
  readonly columns: number | undefined;
  readonly color: boolean;
}

function screenOfStdout(): TreeScreen {
  const { stdout, env } = process;
  const color = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return { columns: stdout.isTTY ? (stdout.columns ?? 80) : undefined, color };
}

const COLORS: Readonly<Record<NodeStatus, string>> = {
  running: '34',
  done: '32',
  reused: '36',
  skipped: '2',
  failed: '31',
  ended: '33',
  waiting: '35',
  stopped: '33',
  interrupted: '31',
};

/** One row a step: how it ended, where it stands, what it is, what to know of it. */
export function treeText(graph: Graph, { columns, color }: TreeScreen): string {
  const rows = treeRows(graph);
  const hasRun = graph.nodes.some(({ status }) => status !== undefined);
  const nameColumns = Math.max(0, ...rows.map((row) => columnsOf(nameOf(row))));
  const kindColumns = Math.max(0, ...rows.map(({ kind }) => columnsOf(kind)));
  const paint = (code: string, text: string) => (color && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text);
  const lines = rows.map((row) => {
    const { node, rail, kind, notes } = row;
    const name = `${node.id}${' '.repeat(nameColumns - columnsOf(nameOf(row)))}`;
    const before = `${hasRun ? '  ' : ''}${rail}${name}  `;
    const room = columns === undefined ? undefined : Math.max(0, columns - columnsOf(before) - kindColumns - 2);
    const said = cutText(notes.map(plainText).join(' · '), room);
    const tone = node.status ? COLORS[node.status] : '0';
    const kindText = said === '' ? kind : `${kind}${' '.repeat(kindColumns - columnsOf(kind))}  `;
    const whole = `${markOf(node, hasRun, paint)}${paint('2', rail)}${paint(tone, name)}  ${paint('36', kindText)}${said}`;
    return whole.trimEnd();
  });
  return [paint('1', plainText(graph.name)), ...lines].join('\n');
}

function nameOf({ rail, node }: TreeRow): string {
  return rail + node.id;
}

function cutText(text: string, room: number | undefined): string {
  if (room === undefined) return text;
  return room < 6 ? '' : cutTo(text, room);
}

function markOf(node: GraphNode, hasRun: boolean, paint: (code: string, text: string) => string): string {
  if (!hasRun) return '';
  return node.status ? `${paint(COLORS[node.status], MARKS[node.status])} ` : '  ';
}
