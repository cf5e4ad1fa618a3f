/** The bundled skill that writes skills, on the built program, which it asks for the reference and for the check. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bodyOf, turn } from '../support/chat.js';
import { BUNDLED_SKILLS, workspace } from '../support/cli.js';
import { mockServer } from '../support/mock-server.js';
import { askingAt } from './script-server.js';

it('passes its own tests', async () => {
  const place = workspace();
  const ran = await place.pipeline(['test', 'write-a-pipeline']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).toMatch(/\n7 tests: 7 passed, 0 failed, /);
  expect(existsSync(join(BUNDLED_SKILLS, 'write-a-pipeline/pwned'))).toBe(false);
});

const PLAN = {
  decision: 'write',
  name: 'shout',
  mode: 'steps',
  purpose: 'Gives the query back in capitals.',
  assumed: [],
  reason: '',
};
const FILES: Readonly<Record<string, string>> = {
  'shout/SKILL.md': '---\nname: shout\ndescription: Gives a text back in capitals.\n---\n\nThe query is the text.\n',
  'shout/pipeline.yaml':
    "version: 1\nname: shout\nsteps:\n  - id: up\n    set: { text: '${{ query.upperAscii() }}' }\nresult: ${{ steps.up.output.text }}\n",
};

it('gives the writer the reference of this very program, and a skill that can be taken over and run', async () => {
  const asked: string[] = [];
  const server = await mockServer((request) => {
    const { messages } = bodyOf(request);
    const text = messages.map(({ content }) => content).join('\n');
    asked.push(text);
    if (text.includes('You decide how a wish becomes a skill')) return turn({ text: JSON.stringify(PLAN) });
    const isWritten = messages.some(({ role }) => role === 'tool');
    const writes = Object.entries(FILES).map(([path, content]) => ({ name: 'write_file', args: { path, content } }));
    return turn({ calls: isWritten ? [{ name: 'resolve', args: { summary: 'It shouts.' } }] : writes });
  });
  const place = workspace();
  try {
    const wish = 'a skill that shouts. $(touch pwned)';
    const ran = await place.pipeline(['run', 'write-a-pipeline', wish, '--json'], askingAt(server.url));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  } finally {
    await server.close();
  }
  const { stdout: reference } = await place.pipeline(['reference']);
  expect(asked[1]).toContain(reference.trim());
  expect(asked[0]).not.toContain(reference.slice(0, 200));
  expect(place.has('pwned')).toBe(false);
  const added = await place.pipeline(['skills', 'add', 'skill_run/write-a-pipeline/latest', '--yes']);
  expect(added, added.stderr).toMatchObject({ code: 0 });
  expect(await place.pipeline(['run', 'shout', 'hello'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nHELLO\n$/),
  });
});
