import { expect, it } from 'vitest';
import { isProviderKey } from '../../src/core/provider-keys.js';

it.each([
  ['OPENAI_API_KEY', true],
  ['ANTHROPIC_API_KEY', true],
  ['openai_api_key', true],
  ['MY_PROXY_API_KEY', true],
  ['SEMANTIC_SCHOLAR_API_KEY', false],
  ['OPENAI_BASE_URL', false],
])('%s: %s', (name, expected) => {
  expect(isProviderKey(name, ['my-proxy'])).toBe(expected);
});
