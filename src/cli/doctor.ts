/** pipeline doctor: whether this machine can run pipelines, and what would make it better. Exits with 1 only where nothing can start: a model that does not answer is a warning, since sketch still runs. */
import { plainText } from '../core/plain-text.js';
import { openerHere, programVersion, sandboxHere } from '../machine.js';
import { reachServices } from '../providers/reach.js';
import { surveyModels } from '../providers/survey.js';
import { openProject } from '../run.js';
import { version } from '../version.js';
import {
  browserFinding,
  configFindings,
  defaultFinding,
  environmentFindings,
  type Finding,
  keysFinding,
  localeFinding,
  nodeFinding,
  programFinding,
  reachFindings,
  runsFinding,
  sandboxFinding,
  skillFindings,
} from './doctor-checks.js';
import { printJson, printResult, resultColumns } from './output.js';
import { hanging } from './wrapped.js';

interface DoctorOptions {
  readonly json?: boolean;
  readonly detect: boolean;
  readonly offline?: boolean;
  readonly skillsDir: readonly string[];
}

export async function doctorCommand(options: DoctorOptions): Promise<void> {
  const findings = await examine(options);
  const ok = findings.every(({ state }) => state !== 'fail');
  if (!ok) process.exitCode = 1;
  if (options.json) printJson({ version, ok, findings });
  else printResult(findings.map((finding) => findingText(finding, resultColumns())).join('\n'));
}

async function examine(options: DoctorOptions): Promise<Finding[]> {
  const { env } = process;
  const project = openProject({ cwd: process.cwd(), env, skillsDirs: options.skillsDir });
  const { config } = project;
  const [bash, git, sandbox, services, survey] = await Promise.all([
    programVersion('bash', env),
    programVersion('git', env),
    sandboxHere(env),
    options.offline ? [] : reachServices(config.models, env),
    surveyModels({
      roles: config.models,
      env,
      detect: options.detect && config.detect,
      cwd: process.cwd(),
    }),
  ]);
  return [
    nodeFinding(process.version),
    programFinding('bash', bash, 'shell steps'),
    programFinding('git', git, 'skills from repositories'),
    sandboxFinding(sandbox, config.sandbox),
    ...configFindings(project),
    ...environmentFindings(env),
    keysFinding(survey),
    defaultFinding(survey),
    ...reachFindings(services),
    ...skillFindings(project),
    runsFinding(project.dir),
    browserFinding(openerHere(env)),
    localeFinding(env),
  ];
}

/** Whole; what does not fit into so many columns goes on below. */
export function findingText({ check, state, text, remedy }: Finding, columns: number | undefined): string {
  const start = `${state.padEnd(4)}  ${check.padEnd(7)}  `;
  const shown = plainText(remedy === undefined ? text : `${text} → ${remedy}`);
  return hanging(start + shown, columns, start.length);
}
