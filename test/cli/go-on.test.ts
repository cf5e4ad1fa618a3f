import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closingLines } from '../../src/cli/closing.js';
import { resumeLineAt } from '../../src/cli/go-on.js';
import { runText } from '../../src/cli/show-run.js';
import { project } from '../support/project.js';

const FILE = `version: 1
name: t
steps:
  - id: a
    agent: { instructions: i, prompt: p }
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok], additionalProperties: false }
    retry: { attempts: 1 }
`;

it('goes on with the options of the last session, wherever that is said, also without run.json', async () => {
  const place = project({ 'pipeline.yaml': FILE, 'turns.yaml': 'turns: [{ text: no }, { text: no }, { text: no }]\n' });
  const asked = { model: `script:${join(place.dir, 'turns.yaml')}`, detect: false, sandbox: 'off' } as const;
  const ran = await place.run({ target: './pipeline.yaml', ...asked });
  expect(ran.status).toBe('failed');
  const line = closingLines(ran, [], { ...asked, skillsDir: [] })
    .find((one) => one.startsWith('  go on  '))
    ?.slice(9);
  expect(line).toContain(`--model ${asked.model} --no-detect --sandbox off`);
  expect(resumeLineAt(ran.dir)).toBe(line);
  expect(runText(ran.dir)).toContain(`${line}\n`);
  rmSync(join(ran.dir, 'run.json'));
  expect(resumeLineAt(ran.dir)).toBe(line);
});
