import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../support/project.js';

const PIPELINE =
  'version: 1\nname: p\ninputs: { file: { type: string, format: path } }\nsteps: [{ id: a, set: { v: 1 } }]\n';

it('refuses an input file that is a pipe or a device, instead of reading it without end', async () => {
  const { dir, refused } = project({ 'pipeline.yaml': PIPELINE });
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  for (const file of ['pipe', '/dev/zero']) {
    const { inputs } = await refused({ inputs: { file } });
    expect(inputs.map(({ message }) => message)).toEqual([
      `the input "file" names a file that is not a regular file: ${file}`,
    ]);
  }
});
