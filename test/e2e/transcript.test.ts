/** The conversation of an agent of a run, on the built command line. */
import { expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

it('is Markdown or JSON within a quota, and what has none says so', async () => {
  const place = workspace();
  place.write(
    'pipeline.yaml',
    `version: 1
name: t
steps:
  - id: title
    agent: { instructions: 'You write titles. ${'x'.repeat(3_000)}', prompt: 'Direction: \${{ query }}' }
    output: { type: object, properties: { title: { type: string } }, required: [title] }
  - id: plain
    set: { a: 1 }
`,
  );
  expect(await place.pipeline(['run', 'pipeline.yaml', 'lamps', '--model', 'sketch', '--quiet'])).toMatchObject({
    code: 0,
  });
  const whole = await place.pipeline(['transcript', 't/latest', 'title', '--max', '0']);
  expect(whole).toMatchObject({ code: 0, stderr: '' });
  expect(whole.stdout).toContain('x'.repeat(3_000));
  expect(whole.stdout).toMatch(
    /^# title\n\nModel: sketch\n[\s\S]*## Prompt\n\nDirection: lamps\n\n## Model\n\n- calls `resolve` with/,
  );
  const short = await place.pipeline(['transcript', 't/latest', 'title', '--max', '600']);
  expect(short.stdout.length).toBeLessThan(1_000);
  expect(short.stdout).toMatch(/characters left out: --max 0 shows all\]/);
  const json = JSON.parse((await place.pipeline(['transcript', 't/latest', 'title', '--json', '--max', '600'])).stdout);
  expect(json).toMatchObject({
    step: 'title',
    model: 'sketch',
    messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }],
  });
  expect(json.leftOut.characters).toBeGreaterThan(2_000);
  const none = await place.pipeline(['transcript', 't/latest', 'plain']);
  expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('has no conversation') });
});
