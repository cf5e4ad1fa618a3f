import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seen, type Workspace, workspace } from '../support/cli.js';

async function withReport(): Promise<Workspace & { readonly report: string }> {
  const place = workspace();
  place.write('pipeline.yaml', 'version: 1\nname: t\nsteps: [{ id: a, set: { x: 1 } }]\n');
  await place.pipeline(['run', 'pipeline.yaml', 'it is "$(touch no)" here', '-q']);
  return { ...place, report: join(place.dir, 'skill_run/t/it-is-touch-no-here/report.html') };
}

/** An opener that writes down what it was given. */
function opener(place: Workspace, script: string): string {
  const dir = join(place.dir, 'programs');
  mkdirSync(dir, { recursive: true });
  place.write('programs/xdg-open', `#!/bin/bash\n${script}\n`);
  chmodSync(join(dir, 'xdg-open'), 0o755);
  return `${dir}:${process.env.PATH}`;
}

it.runIf(process.platform === 'linux')('gives the report to the opener of the desktop, as one argument', async () => {
  const place = await withReport();
  const PATH = opener(place, `printf '%s\\n' "$#" "$@" > "${place.dir}/given"`);
  const { code, stdout, stderr } = await place.pipeline(['open', 't/latest'], { PATH, DISPLAY: ':1' });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${place.report}\n`, stderr: 'opened\n' });
  await seen(() => place.has('given') && place.read('given').endsWith('.html\n'));
  expect(place.read('given')).toBe(`1\n${place.report}\n`);
});

it.runIf(process.platform === 'linux')('says where the report is, and why it is not opened', async () => {
  const place = await withReport();
  const open = (env: Record<string, string>, ...more: string[]) => place.pipeline(['open', 't/latest', ...more], env);
  const where = { code: 0, stdout: `${place.report}\n` };
  const said = (reason: string) => `not opened: ${reason}. Open the file above in a browser.\n`;
  expect(await open({})).toMatchObject({ ...where, stderr: said('there is no display') });
  const empty = { PATH: join(place.dir, 'skills'), WAYLAND_DISPLAY: 'w' };
  expect(await open(empty)).toMatchObject({ ...where, stderr: said('xdg-open is not installed') });
  const broken = { PATH: opener(place, 'exit 3'), DISPLAY: ':1' };
  expect(await open(broken)).toMatchObject({ ...where, stderr: said('xdg-open failed') });
  expect(await open(broken, '--print')).toMatchObject({ ...where, stderr: '' });
  const json = await open(broken, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    run: 't/it-is-touch-no-here',
    report: place.report,
    opened: false,
    reason: 'xdg-open failed',
  });
});
