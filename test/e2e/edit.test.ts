import { expect, it } from 'vitest';
import { type Workspace, workspace } from '../support/cli.js';

const ARGS = ['run', 'pipeline.yaml', 'gardens', '--quiet', '--model', 'script:turns.yaml'];
const STEPS = ['before', 'plan', 'reads_topic', 'reads_sections', 'counts_words', 'reads_the_count'];

/** Steps by what the last session did with them. */
async function statuses(place: Workspace): Promise<Record<string, string>> {
  const shown = await place.pipeline(['show', 'edit-and-resume/latest', '--json']);
  const { steps } = JSON.parse(shown.stdout) as {
    readonly steps: readonly { readonly path: string; readonly status: string }[];
  };
  return Object.fromEntries(steps.map(({ path, status }) => [path, status]));
}

it('runs a step again whose prompt file was edited, and of its dependents only those whose inputs changed', async () => {
  const place = workspace('edit-and-resume');
  const first = await place.pipeline(ARGS);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout).toContain('SMALL GARDENS');
  place.edit('prompts/plan.md', 'briefly', 'at length');
  const again = await place.pipeline([...ARGS, '--resume']);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain('LARGE GARDENS');
  expect(await statuses(place)).toEqual({
    before: 'reused',
    plan: 'done',
    reads_topic: 'done',
    reads_sections: 'reused',
    counts_words: 'done',
    reads_the_count: 'reused',
  });
});

it('runs nothing when only a comment was edited', async () => {
  const place = workspace('edit-and-resume');
  const first = await place.pipeline(ARGS);
  expect(first).toMatchObject({ code: 0 });
  place.edit('pipeline.yaml', '# Edit prompts/plan.md', '# Change prompts/plan.md');
  place.edit('pipeline.yaml', '  - id: plan\n', '\n  # the plan\n  - id: plan # here\n');
  expect(await place.pipeline([...ARGS, '--resume'])).toMatchObject({ code: 0, stdout: first.stdout });
  expect(await statuses(place)).toEqual(Object.fromEntries(STEPS.map((id) => [id, 'reused'])));
});

it('runs everything anew without --resume', async () => {
  const place = workspace('edit-and-resume');
  expect(await place.pipeline(ARGS)).toMatchObject({ code: 0 });
  expect(await place.pipeline(ARGS)).toMatchObject({ code: 0 });
  expect(await statuses(place)).toEqual(Object.fromEntries(STEPS.map((id) => [id, 'done'])));
});
