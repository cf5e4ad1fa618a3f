/** An agent whose answer has a schema, and so a type: the schema is what it hands to `resolve`. Run: node examples/typed-answer.mjs */
import { createReactAdapter, defineTool } from 'pipeline';
import { model } from './model.mjs';

const adapter = createReactAdapter({
  ...model,
  tools: [
    defineTool({
      name: 'count_words',
      description: 'Count the words of a text.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      execute: ({ text }) => text.split(/\s+/).length,
    }),
  ],
});
const review = adapter('Judge the title that you are given.', {
  type: 'object',
  properties: { verdict: { enum: ['accept', 'rewrite'] }, words: { type: 'integer' } },
  required: ['verdict', 'words'],
  additionalProperties: false,
});

const { verdict, words } = await review('Attention is all you need');
console.log(`${verdict}, ${words} words`);
