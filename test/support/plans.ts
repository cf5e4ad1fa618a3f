/** Plans of pipelines that a test writes. */
import type { Plan } from '../../src/core/plan.js';
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
