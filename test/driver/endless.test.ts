import { expect, it } from 'vitest';
import { project } from '../support/project.js';

it('a script that prints without end instead of its block is ended', async () => {
  const ran = await project({ 'skills/drive/scripts/run.sh': 'exec yes\n' }).run({ target: 'drive' });
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'shell.output' } });
  expect(ran.message).toContain('more than 64 MB to standard output');
});
