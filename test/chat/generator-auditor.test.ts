/** Two sub-agents of one chat: who makes a work, and who judges it. */
import { expect, it } from 'vitest';
import { room } from '../support/chat-room.js';
import { calling, voice } from '../support/voice.js';

it('a generator and an auditor have instructions and histories of their own', async () => {
  const model = voice([
    calling(['spawn_subagent', { task: 'Write it.', system: 'You write.', output_file: 'draft.md' }]),
    { text: 'A draft.' },
    calling([
      'spawn_subagent',
      { task: 'Judge it.', system: 'You judge.', input_files: ['draft.md'], output_file: 'verdict.md' },
    ]),
    { text: 'Too short.' },
    { text: 'Judged.' },
  ]);
  const place = room(model);
  await place.say('write, then judge');
  const [, generator, , auditor] = model.requests;
  expect(generator).toMatchObject({ system: 'You write.', tools: [], messages: [{ role: 'user', text: 'Write it.' }] });
  expect(auditor).toMatchObject({
    system: 'You judge.',
    tools: [],
    messages: [{ role: 'user', text: 'Judge it.\n\nThe file draft.md:\n\nA draft.' }],
  });
  expect(generator?.messages).toHaveLength(1);
  expect(auditor?.messages).toHaveLength(1);
  expect(place.read('verdict.md')).toBe('Too short.');
});
