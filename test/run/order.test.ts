import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../support/project.js';

const log = (id: string, more = '') =>
  `  - id: ${id}\n    shell: { run: 'echo ${id} >> "$PIPELINE_PROJECT_DIR/log"; echo ${id}' }\n${more}`;

it('runs steps in the order of the file, and gives the text of a command without its last newline', async () => {
  const it = project({
    'pipeline.yaml': `version: 1\nname: t\nsteps:\n${log('a')}${log('b')}${log('c')}result: '\${{ steps.a.output + steps.c.output }}'\n`,
  });
  const ran = await it.run();
  expect(it.read('log')).toBe('a\nb\nc\n');
  expect(ran).toMatchObject({ status: 'done', exit: 0, result: 'ac', census: { asked: 3, done: 3, failed: 0 } });
});

it('starts a step with `needs: []` at once, and one that names steps after them only', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: slow
    shell: { run: 'sleep 0.6; echo slow >> "$PIPELINE_PROJECT_DIR/log"' }
  - id: free
    needs: []
    shell: { run: 'echo free >> "$PIPELINE_PROJECT_DIR/log"' }
  - id: last
    needs: [slow, free]
    shell: { run: 'echo last >> "$PIPELINE_PROJECT_DIR/log"' }
`,
  });
  await it.run();
  expect(it.read('log')).toBe('free\nslow\nlast\n');
});

it('waits for a step that an expression refers to, though `needs` does not name it', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    shell: { run: 'sleep 0.3; echo value' }
  - id: b
    needs: []
    set: { seen: '\${{ steps.a.output }}' }
result: '\${{ steps.b.output.seen }}'
`,
  });
  expect((await it.run()).result).toBe('value');
});

it('skips a step whose `when` is false and goes on with those after it, their value being null', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    when: 'query == "something else"'
    shell: { run: 'echo never' }
  - id: b
    set: { was: '\${{ steps.a.status }}', value: '\${{ steps.a.output }}' }
result: '\${{ steps.b.output }}'
`,
  });
  const ran = await it.run();
  expect(ran).toMatchObject({ status: 'done', result: { was: 'skipped', value: null }, census: { skipped: 1 } });
});

it('skips what needs a failed step, all the way down, and goes on with branches that do not', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    shell: { run: 'exit 3' }
  - id: b
    shell: { run: 'echo b' }
  - id: c
    shell: { run: 'echo c' }
  - id: other
    needs: []
    shell: { run: 'echo other' }
  - id: more
    needs: [other]
    shell: { run: 'echo more' }
`,
  });
  const ran = await it.run();
  expect(ran).toMatchObject({ status: 'failed', exit: 1, census: { asked: 5, done: 2, failed: 1, skipped: 2 } });
  expect(ran.fault).toMatchObject({ code: 'shell.exit', exit: 3 });
  const reasons = ran.events.flatMap((event) =>
    event.type === 'step_skipped' ? [`${event.path}: ${event.reason}`] : [],
  );
  expect(reasons).toEqual(['b: blocked by a', 'c: blocked by a']);
});

it('cancels what still runs at the first failure when the plan says on_failure: stop', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
on_failure: stop
steps:
  - id: a
    shell: { run: 'sleep 30; touch "$PIPELINE_PROJECT_DIR/never"' }
  - id: b
    needs: []
    shell: { run: 'sleep 0.2; exit 1' }
`,
  });
  const ran = await it.run();
  expect(ran).toMatchObject({ status: 'failed', exit: 1 });
  expect(ran.events.some((event) => event.type === 'step_skipped' && event.reason === 'stopped because b failed')).toBe(
    true,
  );
  expect(existsSync(join(it.dir, 'never'))).toBe(false);
});

it('ends the whole run at an `end`, cancels what still runs, and starts nothing more', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: slow
    shell: { run: 'sleep 30' }
  - id: group
    needs: []
    steps:
      - id: stop
        when: 'query != ""'
        end: { outcome: do_not_generate, status: refused, message: 'too vague: \${{ query }}' }
      - id: after
        shell: { run: 'touch "$PIPELINE_PROJECT_DIR/never"' }
  - id: last
    shell: { run: 'touch "$PIPELINE_PROJECT_DIR/never"' }
`,
  });
  const ran = await it.run();
  expect(ran).toMatchObject({ status: 'refused', exit: 5, outcome: 'do_not_generate', message: 'too vague: a query' });
  const reasons = ran.events.flatMap((event) => (event.type === 'step_skipped' ? [event.reason] : []));
  expect(new Set(reasons)).toEqual(new Set(['ended by stop']));
  expect(existsSync(join(it.dir, 'never'))).toBe(false);
});

it('makes every later step of the list wait for an `end`, whatever their needs', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: slow
    shell: { run: 'sleep 0.4' }
  - id: stop
    when: 'query != ""'
    end: { outcome: enough, status: done }
  - id: eager
    needs: []
    shell: { run: 'touch "$PIPELINE_PROJECT_DIR/never"' }
`,
  });
  const ran = await it.run();
  expect(ran).toMatchObject({ status: 'done', exit: 0, outcome: 'enough' });
  expect(existsSync(join(it.dir, 'never'))).toBe(false);
});

it('calls a run partial that reached its end with a step that failed and was allowed to, unless the plan accepts that', async () => {
  const text = (top: string) => `version: 1
name: t
${top}steps:
  - id: a
    on_error: continue
    shell: { run: 'echo bad >&2; exit 4' }
  - id: b
    set: { code: '\${{ default(steps.a.error.code, "") }}', exit: '\${{ default(steps.a.error.exit, 0) }}' }
result: '\${{ steps.b.output }}'
`;
  const one = await project({ 'pipeline.yaml': text('') }).run();
  expect(one).toMatchObject({ status: 'partial', exit: 8, result: { code: 'shell.exit', exit: 4 } });
  const other = await project({ 'pipeline.yaml': text('accept_partial: true\n') }).run();
  expect(other).toMatchObject({ status: 'done', exit: 0 });
});
