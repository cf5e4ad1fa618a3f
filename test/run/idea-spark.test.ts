import { expect, it } from 'vitest';
import { project } from '../support/project.js';

it('takes a direction of a hundred kilobytes through to the cards', async () => {
  const ran = await project({}).run({ target: 'idea-spark', query: 'word '.repeat(20_000) });
  expect(ran).toMatchObject({ status: 'done', exit: 0 });
  expect(ran.files()).toEqual(
    expect.arrayContaining(['phase4/idea.en.md', 'phase4/idea.zh.md', 'phase4/idea.detail.md']),
  );
});

it.each(['', ' \n\t '])('refuses the empty direction %j before it asks a model', async (query) => {
  const ran = await project({}).run({ target: 'idea-spark', query });
  expect(ran).toMatchObject({ status: 'refused', exit: 5, outcome: 'do_not_generate', usage: { calls: 0 } });
});
