/** pipeline show: a skill, a run, or one step of a run. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import { isObject, type Json } from '../core/json.js';
import { hasErrors } from '../core/problems.js';
import type { Plan, Step } from '../core/types.js';
import { findRun } from '../engine/find-run.js';
import { readSteps, type StepRecord } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { type RunFile, readRunFile } from '../engine/run-file.js';
import { problemsText } from '../load/report.js';
import { checkPipeline, openProject } from '../run.js';
import { duration, plainText, tokens } from '../sinks/words.js';
import { here, printJson, printResult, say } from './output.js';
import { liveStatus } from './runs.js';
import { table } from './table.js';

interface ShowOptions {
  readonly json?: boolean;
  readonly skillsDir: readonly string[];
}

export async function showCommand(what: string, step: string | undefined, options: ShowOptions): Promise<void> {
  const around = { cwd: process.cwd(), env: process.env, skillsDirs: options.skillsDir };
  const project = openProject(around);
  const dir = findRun(what, join(project.dir, 'skill_run'), around.cwd);
  if (dir !== undefined && (step !== undefined || what.includes('/')))
    return step === undefined ? showRun(dir, options) : showStep(dir, step, options);
  const { plan, problems } = await checkPipeline(what, around);
  if (!plan && dir !== undefined) return showRun(dir, options);
  if (problems.length > 0) say(problemsText(problems, { cwd: around.cwd }));
  if (!plan || hasErrors(problems)) {
    process.exitCode = 2;
    return;
  }
  if (options.json) return printJson(planJson(plan));
  printResult(planText(plan));
}

function planJson(plan: Plan): unknown {
  const stepJson = (step: Step): unknown => ({
    id: step.id,
    title: step.title,
    kind: step.body.type === 'group' ? 'steps' : step.body.kind.name,
    after: step.after,
    when: step.when?.source ?? null,
    foreach: step.foreach !== undefined,
    repeat: step.repeat ? { until: step.repeat.until.source, max: step.repeat.max } : null,
    tools: step.body.type === 'leaf' ? step.body.inspection.tools : [],
    ...(step.body.type === 'group' ? { steps: step.body.steps.map(stepJson) } : {}),
  });
  const { name, description, file, inputs, limits, permissions } = plan;
  return {
    name,
    description,
    file,
    runsAs: plan.skill.runsAs,
    inputs,
    limits,
    permissions,
    steps: plan.steps.map(stepJson),
  };
}

function planText(plan: Plan): string {
  const lines = [
    plainText(`${plan.name}  ${here(plan.file)}`),
    ...(plan.description ? [plainText(plan.description)] : []),
    '',
  ];
  const inputs = isObject(plan.inputs.properties) ? Object.entries(plan.inputs.properties) : [];
  if (inputs.length > 0)
    lines.push('Inputs', ...inputs.map(([name, schema]) => `  ${name}  ${JSON.stringify(schema)}`), '');
  const rows: string[][] = [];
  const visit = (steps: readonly Step[], depth: number) => {
    for (const step of steps) {
      const { body } = step;
      const notes = [
        ...(step.when ? [`when ${step.when.source}`] : []),
        ...(step.foreach ? ['foreach'] : []),
        ...(step.repeat ? [`repeat until ${step.repeat.until.source}, at most ${step.repeat.max}`] : []),
        ...(body.type === 'leaf' && body.inspection.tools.length > 0
          ? [`tools: ${body.inspection.tools.join(', ')}`]
          : []),
      ];
      rows.push([
        `${'  '.repeat(depth)}${step.id}`,
        body.type === 'group' ? 'steps' : body.kind.name,
        step.title === step.id ? '' : step.title,
        notes.join('; '),
      ]);
      if (body.type === 'group') visit(body.steps, depth + 1);
    }
  };
  visit(plan.steps, 1);
  return [...lines, 'Steps', table(rows)].join('\n');
}

function showRun(dir: string, options: ShowOptions): void {
  const run = readRunFile(dir) as RunFile;
  const steps = readSteps(runDirAt(dir).journal);
  if (options.json)
    return printJson({ ...run, status: liveStatus(run, dir), dir, steps: steps.map(({ output: _, ...step }) => step) });
  const head = [
    `${run.skill}/${run.slug}  ${liveStatus(run, dir)}${run.outcome && run.outcome !== run.status ? ` (${run.outcome})` : ''}`,
    `query   ${plainText(run.query)}`,
  ];
  if (run.models.length > 0)
    head.push(`model   ${run.models.join(', ')}${run.placeholder ? '  (placeholder text)' : ''}`);
  head.push(`began   ${run.started}`, `folder  ${here(dir)}`);
  if (run.message) head.push(`said    ${plainText(run.message)}`);
  printResult(`${head.join('\n')}\n\n${table(steps.map(rowOf))}`);
}

function rowOf(step: StepRecord): string[] {
  const used = step.inputTokens + step.outputTokens;
  const note = step.fault?.message ?? step.reason ?? '';
  return [
    step.path,
    step.status,
    step.ms === undefined ? '' : duration(step.ms),
    step.rounds > 0 ? `${step.rounds} rounds` : '',
    used > 0 ? `${tokens(used)} tokens` : '',
    plainText(note),
  ];
}

function showStep(dir: string, path: string, options: ShowOptions): void {
  const steps = readSteps(runDirAt(dir).journal);
  const step = steps.find((one) => one.path === path);
  if (!step) {
    const near = steps.filter((one) => one.path.split('/').includes(path)).map((one) => one.path);
    throw new Fault('input.unknown', `the run has no step "${path}"`, {
      hint:
        near.length > 0
          ? `Perhaps: ${near.slice(0, 8).join(', ')}`
          : `Steps: ${steps
              .map((one) => one.path)
              .slice(0, 20)
              .join(', ')}`,
    });
  }
  const folder = runDirAt(dir).step(path);
  const output = outputOf(dir, step);
  if (options.json) return printJson({ ...step, output, folder: folder.dir });
  const lines = [
    `${step.path}  ${step.status}`,
    ...(step.ms === undefined ? [] : [`took    ${duration(step.ms)}`]),
    `folder  ${here(folder.dir)}`,
  ];
  if (step.rounds > 0)
    lines.push(`rounds  ${step.rounds}, ${tokens(step.inputTokens)} tokens in, ${tokens(step.outputTokens)} out`);
  if (step.tools.length > 0) lines.push(`tools   ${step.tools.join(', ')}`);
  if (step.reason) lines.push(`why     ${plainText(step.reason)}`);
  if (step.fault)
    lines.push(
      `fault   ${step.fault.code}: ${plainText(step.fault.message)}`,
      ...(step.fault.hint ? [`try     ${step.fault.hint}`] : []),
    );
  for (const artifact of step.artifacts) lines.push(`file    ${artifact.path}  ${artifact.bytes} bytes`);
  for (const file of [folder.prompt, folder.transcript, folder.stdout, folder.stderr])
    if (fs.existsSync(file)) lines.push(`see     ${here(file)}`);
  if (output !== null) lines.push('', typeof output === 'string' ? output : JSON.stringify(output, null, 2));
  printResult(lines.join('\n'));
}

function outputOf(dir: string, step: StepRecord): Json {
  if (step.outputBlob === undefined) return step.output;
  return JSON.parse(fs.readFileSync(join(runDirAt(dir).blobs, step.outputBlob), 'utf8')) as Json;
}
