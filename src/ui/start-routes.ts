/** The addresses that start a skill. */
import type { Hono } from 'hono';
import { Fault, toFault } from '../core/faults.js';
import type { Plan } from '../core/plan.js';
import { hasErrors } from '../core/problems.js';
import type { Project } from '../load/open-project.js';
import { discoverSkills } from '../load/skills.js';
import { checkPipeline, openProject } from '../run.js';
import { refuseDrift, skillDirsOf } from '../skills/drift.js';
import { readForm } from './form-values.js';
import { sentForm } from './forms.js';
import { goTo, type House } from './house.js';
import type { UiProject } from './known-runs.js';
import { addressOf } from './list-page.js';
import { startSkill } from './sessions.js';
import { brokenPage, type FormState, formPage, skillsPage, termsOf } from './start-page.js';

export function addStartRoutes(app: Hono, house: House): void {
  const { known, door, given } = house;
  const start = `${door.room}start`;
  const around = (project: UiProject) => ({ cwd: project.dir, env: given.env, skillsDirs: given.skillsDirs });

  app.get(start, () => {
    const offers = known.projects.map((project, at) => {
      const { skills, problems } = discoverSkills(openProject(around(project)).places);
      return { at, project, skills, skipped: problems.length };
    });
    return house.page({ title: 'Start a skill' }, skillsPage(offers));
  });

  app.get(`${start}/:project/:skill`, async ({ req }) => {
    const wanted = await wantedSkill(req.param());
    if ('refused' in wanted) return wanted.refused;
    return house.page({ title: wanted.skill }, formPage({ ...wanted, problems: driftOf(wanted) }));
  });

  app.post(`${start}/:project/:skill`, async ({ req }) => {
    const typed = await sentForm(req.raw, door);
    const wanted = await wantedSkill(req.param());
    if ('refused' in wanted) return wanted.refused;
    const again = (problems: FormState['problems']) =>
      house.page({ title: wanted.skill }, formPage({ ...wanted, typed, problems }), 422);
    if (typed.get('terms') !== termsOf(wanted.plan, wanted.projectDir)) return again(CHANGED);
    const read = await readForm(wanted.plan, typed, wanted.projectDir);
    if (read.problems.size > 0) return again(read.problems);
    const begun = await startSkill(wanted.skill, read, wanted.project, given, known);
    if (begun.type === 'refused') return again(new Map([['', begun.messages]]));
    const run = begun.type === 'run' ? known.all().find(({ dir }) => dir === begun.dir) : undefined;
    return goTo(`${door.room}${run ? `${addressOf(run)}?said=started` : ''}`);
  });

  async function wantedSkill(where: {
    readonly project: string;
    readonly skill: string;
  }): Promise<Wanted | { readonly refused: Response }> {
    const project = known.projects.find((_, at) => String(at) === where.project);
    if (!project) throw new Fault('input.unknown', 'There is no such project here.');
    const opened = openProject(around(project));
    const skill = discoverSkills(opened.places).skills.find(({ name }) => name === where.skill);
    if (!skill) throw new Fault('input.unknown', `There is no skill "${where.skill}" in ${project.name}.`);
    const { plan, problems } = await checkPipeline(skill.name, around(project));
    if (!plan || hasErrors(problems)) {
      return { refused: house.page({ title: skill.name }, brokenPage(skill.name, problems), 422) };
    }
    const { formKey } = door;
    return { skill: skill.name, project, plan, projectDir: project.dir, formKey, models: modelsOf(opened) };
  }
}

const CHANGED: FormState['problems'] = new Map([
  [
    '',
    [
      'The skill has changed since the page was shown. Look at what it asks for and what it may do, then start it again.',
    ],
  ],
]);

interface Wanted {
  readonly skill: string;
  readonly project: UiProject;
  readonly plan: Plan;
  readonly projectDir: string;
  readonly formKey: string;
  readonly models: readonly string[];
}

/** Said before anything is typed: a skill that is not what somebody agreed to would not be run. */
function driftOf({ plan, projectDir }: Wanted): FormState['problems'] {
  try {
    refuseDrift(skillDirsOf(plan), projectDir);
    return new Map();
  } catch (error) {
    const { message, hint } = toFault(error);
    return new Map([['', [hint === undefined ? message : `${message} ${hint}`]]]);
  }
}

function modelsOf({ config }: Project): string[] {
  return [...new Set([...config.models.keys(), 'sketch'])];
}
