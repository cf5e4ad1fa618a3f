import { expect, it } from 'vitest';
import type { Complaint } from '../../src/core/context.js';
import { resolveTool } from '../../src/tools/resolve.js';
import { place } from './context.js';

const SCHEMA = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };

it('gives back the value that was accepted', async () => {
  const tool = resolveTool(SCHEMA, async (args) => ({ value: args.title ?? null }));
  expect(tool.spec.parameters).toBe(SCHEMA);
  expect(await tool.execute({ title: 'Seven' }, place().context)).toEqual({ type: 'resolved', value: 'Seven' });
});

it('tells the model each complaint, and what to do', async () => {
  const complaints: Complaint[] = [
    { from: 'schema', path: '/title', message: 'expected string, received 7', expected: 'string', received: '7' },
    { from: 'schema', path: '/n', message: 'expected at least 3', expected: 'at least 3' },
    { from: 'assert', path: '', message: 'The title must not be empty.' },
    { from: 'artifacts', path: '', message: 'draft.md was not written' },
  ];
  const tool = resolveTool(SCHEMA, async () => ({ complaints }));
  expect(await place().call(tool, {})).toBe(
    [
      'error: resolve: the answer was not accepted.',
      '- /title: expected string, received 7',
      '- /n: expected at least 3',
      '- answer: The title must not be empty.',
      '- answer: draft.md was not written',
      'Correct the files and the answer, then call resolve again with the whole answer.',
    ].join('\n'),
  );
});
