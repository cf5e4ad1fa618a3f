/** pipeline ui: the list of runs, a run as it happens, a gate, the form of a skill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fieldGuideModel } from '../field-guide-model.mjs';

const HERONRY = `version: 1
name: bird-count
description: Counts the birds of a place on one morning, and says which came back.
inputs:
  place: { type: string, minLength: 2, description: "A garden, a park, a stretch of a river." }
  minutes: { type: integer, minimum: 5, maximum: 120, default: 30, description: How long somebody stands there. }
  habit: { enum: [every bird, only the seen, only the heard], default: every bird, title: What counts }
  rain: { type: boolean, default: false, description: Counts on although it rains. }
  known: { type: array, items: { type: string }, default: [robin, wren], description: Those of last year. }
steps:
  - id: count
    shell: { command: [sh, -c, 'echo 14'] }
result: "\${{ steps.count.output }}"
`;

export async function take(stage) {
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  let isSpoilt = false;
  const room = await stage.room({
    answer: fieldGuideModel({
      hold: (name) => (isHeld && ['Nuthatch', 'Jackdaw', 'Goldfinch'].includes(name) ? held : undefined),
      spoil: () => isSpoilt,
    }),
    files: { 'skills/bird-count/pipeline.yaml': HERONRY },
  });
  const pipeline = join(dirname(room.dir), 'bin/pipeline');
  const program = (...args) =>
    spawn(pipeline, args, { cwd: room.dir, env: room.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran = async (...args) => {
    const child = program(...args);
    child.stdout.resume();
    child.stderr.resume();
    await once(child, 'close');
  };
  await ran('run', 'bird-count', 'the pond behind the mill', '--input', 'place=the pond');
  isSpoilt = true;
  await ran('run', 'field-guide', 'on the roofs of the station');
  isSpoilt = false;
  await ran('run', 'field-guide', '河边的鸟');
  await ran('approve', 'field-guide/he-bian-de-niao', 'publish', '--choice', 'publish');
  await ran('resume', 'field-guide/he-bian-de-niao');
  await ran('run', 'field-guide', 'along the old canal');
  isHeld = true;
  const live = program('run', 'field-guide', 'between the houses');
  live.stdout.resume();
  live.stderr.resume();

  const ui = program('ui');
  const [first] = await once(ui.stdout, 'data');
  const page = await stage.page({ width: 1_180, height: 640 });
  try {
    await page.goto(String(first).trim());
    await page.locator('tr[data-status=running]').waitFor();
    await page.locator('#ui-link[data-state=on]').waitFor();
    const address = page.url();
    await page.goto(`${address}runs/0/field-guide/between-the-houses/`);
    await page.getByText('6 of 12').or(page.getByText('6 done')).first().waitFor();
    await page.goto(address);
    await page.locator('#ui-link[data-state=on]').waitFor();
    await stage.save('ui-list', (path) => page.screenshot({ path }));
    await page.setViewportSize({ width: 1_180, height: 1_000 });
    await page.goto(`${address}runs/0/field-guide/between-the-houses/`);
    await page.locator('#ui-link[data-state=on]').waitFor();
    await stage.save('ui-live', (path) => page.screenshot({ path }));
    await page.setViewportSize({ width: 1_180, height: 640 });
    await page.goto(`${address}runs/0/field-guide/along-the-old-canal/`);
    await page.locator('#ui-link[data-state=on]').waitFor();
    await stage.save('ui-gate', (path) => page.screenshot({ path }));
    await page.setViewportSize({ width: 1_180, height: 1_000 });
    await page.goto(`${address}start/0/bird-count`);
    await page.getByLabel('Query').fill('the pond behind the mill');
    await page.getByLabel('minutes').fill('4');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('alert').waitFor();
    await stage.save('ui-start', (path) => page.screenshot({ path }));
  } finally {
    release();
    ui.kill();
    live.kill();
    await once(live, 'close');
  }
}
