import { expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

it('fails the steps for which no file can be opened any more, says how to mend it, and goes on from there', async () => {
  const place = workspace();
  const steps = Array.from(
    { length: 40 },
    (_, index) => `  - { id: s${index}, needs: [], shell: { command: [sleep, "0.5"] } }\n`,
  );
  place.write('pipeline.yaml', `version: 1\nname: wide\nlimits: { max_parallel: 40 }\nsteps:\n${steps.join('')}`);

  const few = await place.bash('ulimit -n 64; pipeline run pipeline.yaml asked');
  expect(few.code).toBe(1);
  expect(few.stderr).toContain('too many files are open (EMFILE)');
  expect(few.stderr).toContain('limits.max_parallel');

  expect(await place.bash('pipeline resume wide/asked')).toMatchObject({ code: 0 });
});
