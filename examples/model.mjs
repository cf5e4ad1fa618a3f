/** The model of the examples: `openai/<id>` or `anthropic/<id>` from $MODEL, at the base URL and with the key that its provider's variables name. */
import { anthropicProvider, openAiProvider } from 'pipeline';

const [wire, ...id] = (process.env.MODEL ?? 'openai/gpt-5-mini').split('/');
const variable = wire === 'anthropic' ? 'ANTHROPIC' : 'OPENAI';

if (!process.env[`${variable}_API_KEY`] && !process.env[`${variable}_BASE_URL`]) {
  console.error(`There is no key: set ${variable}_API_KEY, or ${variable}_BASE_URL for a server that needs none.`);
  process.exit(3);
}

export const model = {
  model: id.join('/'),
  provider:
    wire === 'anthropic'
      ? anthropicProvider({
          baseUrl: process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com',
          apiKey: process.env.ANTHROPIC_API_KEY,
        })
      : openAiProvider({
          name: 'openai',
          baseUrl: process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
          apiKey: process.env.OPENAI_API_KEY,
        }),
};
