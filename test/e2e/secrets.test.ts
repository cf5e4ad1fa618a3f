import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { SECRETS, tracesIn } from '../../prove/secret-forms.js';
import { resolve, turn } from '../support/chat.js';
import { workspace } from '../support/cli.js';
import { errorReply, mockServer } from '../support/mock-server.js';
import { askingAt } from './script-server.js';

const PIPELINE = `version: 1
name: leaky
permissions: { env: [DEMO_TOKEN, DEMO_PASSWORD] }
steps:
  - id: loud
    on_error: continue
    shell:
      run: |
        printf 'user:%s' "$DEMO_TOKEN" | base64
        echo "failed with $DEMO_TOKEN" >&2
        exit 3
  - id: reader
    needs: [loud]
    agent:
      prompt: "Read. It said \${{ steps.loud.error != null && has(steps.loud.error.stderr) ? steps.loud.error.stderr : '' }}"
      tools: [read_file]
    output: { type: object, properties: { word: { type: string } }, required: [word] }
  - id: printer
    on_error: continue
    needs: [reader]
    shell: { run: 'echo "it is $DEMO_PASSWORD"' }
  - id: writer
    on_error: continue
    needs: [printer]
    shell: { run: 'printf %s "$DEMO_PASSWORD" > notes.bin; echo done' }
`;

it('a secret of the environment is put by name in what a model gets, and refused as what a step gives', async () => {
  const read = turn({ text: 'I read.', calls: [{ name: 'read_file', args: { path: 'notes.txt' } }] });
  const refused = errorReply(503, { message: `busy with ${SECRETS.DEMO_TOKEN}` }, { 'retry-after': '0' });
  const server = await mockServer([refused, read, resolve({ word: 'w' })]);
  onTestFinished(() => server.close());
  const place = workspace();
  place.write('skills/leaky/pipeline.yaml', PIPELINE);
  place.write('skills/leaky/notes.txt', Object.values(SECRETS).join('\nand '));
  const ran = await place.pipeline(['run', 'leaky', 'a query', '--json'], { ...askingAt(server.url), ...SECRETS });
  expect(ran.code).toBe(8);
  expect(server.requests[1]?.body).toContain('failed with «redacted:DEMO_TOKEN»');
  expect(server.requests[2]?.body).toContain('and «redacted:DEMO_PASSWORD»');
  const faults = place
    .events('leaky/a-query')
    .flatMap((event) => (event.type === 'step_failed' ? [event.path, event.fault.code] : []));
  expect(faults).toEqual(['loud', 'shell.exit', 'printer', 'step.secret_in_output', 'writer', 'step.secret_in_output']);
});

it('a query or an input that holds a secret is refused before anything is written', async () => {
  const place = workspace('exit-codes');
  const ran = await place.pipeline(
    ['run', 'agent.yaml', `use ${SECRETS.DEMO_TOKEN} now`, '--model', 'sketch'],
    SECRETS,
  );
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('holds the value of DEMO_TOKEN');
  expect(tracesIn(ran.stderr)).toEqual([]);
  expect(readdirSync(place.dir)).not.toContain('skill_run');
});
