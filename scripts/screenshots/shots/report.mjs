/** The report of a run: its top, its timeline, a step that failed, light and dark, on a narrow screen. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fieldGuideModel } from '../field-guide-model.mjs';

const RUN = 'field-guide/between-the-houses';

export async function take(stage) {
  const done = await runIn(await stage.room({ answer: fieldGuideModel() }));
  await done('approve', RUN, 'publish', '--choice', 'publish');
  await done('resume', RUN);
  const spoilt = ['Grey heron', 'Kingfisher', 'Goldfinch'];
  const failed = await runIn(await stage.room({ answer: fieldGuideModel({ spoil: (name) => spoilt.includes(name) }) }));

  for (const [name, dark] of [
    ['report-top', false],
    ['report-dark', true],
  ]) {
    const page = await opened(stage, done.dir, { dark, width: 1_100, height: 860 });
    await stage.save(name, (path) => page.screenshot({ path }));
    await page.close();
  }

  const wide = await opened(stage, done.dir, { width: 1_100, height: 900 });
  await stage.save('report-timeline', (path) => wide.locator('#timeline').screenshot({ path }));
  await wide.close();

  const wrong = await opened(stage, failed.dir, { width: 1_100, height: 820 });
  await stage.save('report-failed', (path) => wrong.screenshot({ path }));
  await wrong.goto(`${wrong.url()}#step-entries.2`);
  await wrong.locator('[id="step-entries.2"]').waitFor({ state: 'visible' });
  await stage.save('report-step', (path) => wrong.screenshot({ path }));
  await wrong.close();

  const narrow = await opened(stage, failed.dir, { width: 400, height: 860 });
  await stage.save('report-narrow', (path) => narrow.screenshot({ path }));
  await narrow.close();
}

/** The run was begun in this room; what comes back performs further commands there. */
async function runIn(room) {
  const perform = (...args) =>
    new Promise((resolve, reject) => {
      const child = spawn('pipeline', args, { cwd: room.dir, env: room.env, stdio: 'ignore' });
      child.on('error', reject);
      child.on('close', resolve);
    });
  await perform('run', 'field-guide', 'between the houses');
  return Object.assign(perform, { dir: join(room.dir, 'skill_run', RUN) });
}

async function opened(stage, dir, size) {
  const page = await stage.page({ ...size, scale: 1.5 });
  await page.goto(pathToFileURL(join(dir, 'report.html')).href);
  return page;
}
