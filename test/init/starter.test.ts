import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../src/core/json.js';
import { compileSchema } from '../../src/core/schema.js';
import { starterFiles } from '../../src/init/starter.js';
import { editorSchema } from '../../src/load/editor-schema.js';
import { checkPipeline, STEP_KINDS } from '../../src/run.js';
import { project } from '../support/project.js';

it.each(['my-first', 'true', 'n', 'a1'])(
  'passes the strict check under the name %s, which stays that name',
  async (name) => {
    const place = project({});
    for (const [path, text] of Object.entries(starterFiles(name, 'x.json')))
      place.write(join('skills', name, path), text);
    const options = { strict: true };
    const { plan, problems } = await checkPipeline(name, { cwd: place.dir, env: { HOME: place.dir } }, options);
    expect(problems).toEqual([]);
    expect(plan?.name).toBe(name);
  },
);

it('satisfies the schema that its modeline names', async () => {
  const pipeline = starterFiles('my-first', 'x.json')['pipeline.yaml'] ?? '';
  const complaints = await compileSchema(editorSchema(STEP_KINDS));
  expect(complaints(parse(pipeline) as Json)).toEqual([]);
});
