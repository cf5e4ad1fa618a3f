/** Plans of pipelines that a test writes. */
import type { Inspection } from '../../src/core/kind.js';
import type { Plan, Step } from '../../src/core/plan.js';
import { checkPipeline } from '../../src/run.js';
import { project, type TestProject } from './project.js';

export async function planOf(text: string, files: Readonly<Record<string, string>> = {}): Promise<Plan> {
  return planIn(project({ ...files, 'pipeline.yaml': text }));
}

export async function planIn({ dir }: TestProject, target = './pipeline.yaml'): Promise<Plan> {
  const { plan, problems } = await checkPipeline(target, { cwd: dir, env: { HOME: dir } });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (!plan || errors.length > 0) throw new Error(JSON.stringify(problems, null, 1));
  return plan;
}

/** As if the kinds had said this, too, of each step that asks a model. */
export function planWith(plan: Plan, more: Partial<Inspection>): Plan {
  const changed = (step: Step): Step => {
    const { body } = step;
    if (body.type === 'group') return { ...step, body: { ...body, steps: body.steps.map(changed) } };
    if (body.type !== 'leaf' || body.inspection.models.length === 0) return step;
    return { ...step, body: { ...body, inspection: { ...body.inspection, ...more } } };
  };
  return { ...plan, steps: plan.steps.map(changed) };
}
