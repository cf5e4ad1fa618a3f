import { expect, it } from 'vitest';
import { faultyFiles } from '../support/faulty-files.js';
import { project } from '../support/project.js';

const leaving = (file: string) => `version: 1
name: t
steps: [{ id: a, shell: { run: 'touch both.txt ${file}; echo done' }, artifacts: ['*.txt'] }]
result: \${{ steps.a.output }}
`;

it('a step that leaves other files than before leaves no old one, wherever a run died over it', async () => {
  const sessions = async (at: number) => {
    const it = project({ 'pipeline.yaml': leaving('old.txt') });
    await it.run();
    it.write('pipeline.yaml', leaving('new.txt'));
    const files = faultyFiles({ what: 'stop', at });
    await it.run({ resume: true, files }).catch(() => undefined);
    const died = files.operations.length >= at;
    const ran = await it.run({ resume: true });
    return { died, status: ran.status, files: ran.files() };
  };
  const all = [];
  for (let at = 1; ; at++) {
    const one = await sessions(at);
    all.push([at, one.status, ...one.files]);
    if (!one.died) break;
  }
  expect(all).toEqual(all.map(([at]) => [at, 'done', 'both.txt', 'new.txt']));
  expect(all.length).toBeGreaterThan(10);
}, 120_000);
