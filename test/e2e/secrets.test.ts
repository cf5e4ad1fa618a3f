import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createRedactor } from '../../src/core/secrets.js';
import { resolve, turn } from '../support/chat.js';
import { workspace } from '../support/cli.js';
import { errorReply, mockServer } from '../support/mock-server.js';
import { askingAt } from './script-server.js';

/** Made up; no value is part of another. */
const SECRETS = {
  DEMO_TOKEN: 'tok-Zx81/qq+77=aB',
  DEMO_SECRET: 'p4ss "quoted" \\ wörd',
  DEMO_PASSWORD: 'correct-horse-battery',
};
const redactor = createRedactor(SECRETS);

const PIPELINE = `version: 1
name: leaky
permissions: { env: [DEMO_TOKEN, DEMO_SECRET, DEMO_PASSWORD] }
steps:
  - id: loud
    on_error: continue
    shell:
      run: |
        for value in "$DEMO_TOKEN" "$DEMO_SECRET" "$DEMO_PASSWORD"; do
          echo "plain: $value"
          printf 'user:%s' "$value" | base64
          printf '%s' "$value" | od -An -tx1 | tr -d ' \\n'
          echo "$value" >&2
        done
        echo "failed with $DEMO_TOKEN" >&2
        exit 3
  - id: reader
    needs: [loud]
    agent:
      prompt: "Read. It said \${{ steps.loud.error != null && has(steps.loud.error.stderr) ? steps.loud.error.stderr : '' }}"
      tools: [read_file]
      files: [notes.txt]
    output: { type: object, properties: { word: { type: string } }, required: [word] }
  - id: printer
    on_error: continue
    needs: [reader]
    shell: { run: 'echo "it is $DEMO_PASSWORD"' }
  - id: writer
    on_error: continue
    needs: [reader]
    shell: { run: 'head -c 70000 /dev/zero > big.bin; printf %s "$DEMO_SECRET" >> big.bin; echo done' }
`;

function every(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

it('no secret of the environment, in any form, reaches a model, a log, the journal, a report or the terminal', async () => {
  const read = turn({ text: 'I read.', calls: [{ name: 'read_file', args: { path: 'notes.txt' } }] });
  const refused = errorReply(503, { message: `busy with ${SECRETS.DEMO_TOKEN}` }, { 'retry-after': '0' });
  const server = await mockServer([refused, read, resolve({ word: 'w' })]);
  onTestFinished(() => server.close());
  const place = workspace('exit-codes');
  place.write('skills/leaky/pipeline.yaml', PIPELINE);
  place.write('skills/leaky/notes.txt', Object.values(SECRETS).join('\nand '));
  const env = { ...askingAt(server.url), ...SECRETS };
  const ran = await place.pipeline(['run', 'leaky', 'a query', '--json'], env);
  expect(ran.code).toBe(8);
  const report = JSON.parse(ran.stdout) as { dir: string };
  expect(server.requests.length).toBeGreaterThanOrEqual(3);
  expect(server.requests[1]?.body).toContain('«redacted:DEMO_PASSWORD»');
  for (const request of server.requests) expect(redactor?.find(request.body)).toBeUndefined();
  for (const text of [ran.stdout, ran.stderr]) expect(redactor?.find(text)).toBeUndefined();
  const work = /\/work\//;
  const kept = every(join(report.dir, '..')).filter((file) => !work.test(file));
  expect(kept.some((file) => file.endsWith('transcript.ndjson'))).toBe(true);
  for (const file of kept) expect([file, redactor?.search()(readFileSync(file))]).toEqual([file, undefined]);
  const faults = place
    .events('leaky/a-query')
    .flatMap((event) => (event.type === 'step_failed' ? [event.path, event.fault.code] : []));
  expect(faults).toEqual(['loud', 'shell.exit', 'printer', 'step.secret_in_output', 'writer', 'step.secret_in_output']);
  for (const command of [['show', 'leaky/latest', 'loud'], ['runs'], ['explain', 'leaky/latest', 'reader']]) {
    const shown = await place.pipeline(command, env);
    expect(redactor?.find(shown.stdout + shown.stderr)).toBeUndefined();
  }
});

it('a query or an input that holds a secret is refused before anything is written', async () => {
  const place = workspace('exit-codes');
  const ran = await place.pipeline(
    ['run', 'agent.yaml', `use ${SECRETS.DEMO_TOKEN} now`, '--model', 'sketch'],
    SECRETS,
  );
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('holds the value of DEMO_TOKEN');
  expect(redactor?.find(ran.stderr)).toBeUndefined();
  expect(readdirSync(place.dir)).not.toContain('skill_run');
});
