/** What an author types to begin: init with its templates, reference, and a step that asks the program itself. */
import { expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

it.concurrent.for(['steps', 'single', 'next-loop'])(
  'init --template %s writes a skill that passes check, test and a run as they are typed',
  async (template, { onTestFinished }) => {
    const place = workspace(undefined, onTestFinished);
    const made = await place.pipeline(['init', 'mine', '--template', template]);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(made.stdout.split('\n')[0]).toBe('skills/mine/SKILL.md');
    expect(place.has('schemas/pipeline.schema.json')).toBe(template === 'steps');
    expect(await place.pipeline(['check', 'mine', '--strict'])).toMatchObject({ code: 0 });
    expect(await place.pipeline(['test', 'mine'])).toMatchObject({ code: 0 });
    const ran = await place.pipeline(['run', 'mine', 'why do cities get hotter', '--model', 'sketch']);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  },
);

it('init says which template it took, steps unless another is named, and refuses one that is none', async () => {
  const place = workspace();
  expect(JSON.parse((await place.pipeline(['init', 'a', '--json'])).stdout)).toMatchObject({ template: 'steps' });
  const wrong = await place.pipeline(['init', 'b', '--template', 'graph']);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toContain('steps, single, next-loop');
  expect(place.has('skills/b')).toBe(false);
});

it('init leaves no half of a skill where the files cannot be written whole', async () => {
  const place = workspace();
  const { code, stderr } = await place.bash("trap '' XFSZ; ulimit -f 1; pipeline init brief");
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('EFBIG') });
  expect(place.has('skills/brief')).toBe(false);
  expect(await place.pipeline(['init', 'brief'])).toMatchObject({ code: 0 });
});

it('reference is one text on stdout, and its parts with --json', async () => {
  const place = workspace();
  const { code, stdout, stderr } = await place.pipeline(['reference']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.startsWith('# Write a pipeline\n')).toBe(true);
  const parts = JSON.parse((await place.pipeline(['reference', '--json'])).stdout);
  expect(Object.keys(parts)).toEqual(['sections', 'schema', 'tools', 'example']);
  for (const { title, text } of parts.sections) expect(stdout).toContain(`# ${title}\n\n${text}`);
  expect(parts.schema.properties.steps).toBeDefined();
});

it('a step reaches the program that runs it by PIPELINE_BIN, and not by one that the environment names', async () => {
  const place = workspace();
  place.write(
    'self.yaml',
    'version: 1\nname: self\nsteps:\n  - id: ask\n    shell: { run: \'node "$PIPELINE_BIN" --version\' }\nresult: ${{ steps.ask.output }}\n',
  );
  const { stdout: version } = await place.pipeline(['--version']);
  const ran = await place.pipeline(['run', 'self.yaml', 'x'], { PIPELINE_BIN: '/nowhere/else.js' });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stdout.endsWith(`\n${version}`)).toBe(true);
});
