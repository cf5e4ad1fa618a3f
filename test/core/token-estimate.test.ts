import { expect, it } from 'vitest';
import type { Message } from '../../src/core/model.js';
import { requestTokens } from '../../src/core/token-estimate.js';

const text = (words: string): Message => ({ role: 'user', text: words });
const tokensOf = (messages: readonly Message[]) => requestTokens({ system: '', messages, tools: [] });

it('reckons a conversation by what is in it now, however it was when it was asked before', () => {
  const [first, long, last] = [text('x'.repeat(40)), text('x'.repeat(400)), text('x'.repeat(80))];
  expect(tokensOf([first, long])).toBe(110);
  expect(tokensOf([first, long, last])).toBe(130);
  expect(tokensOf([first, text(''), last])).toBe(30);
  expect(tokensOf([first])).toBe(10);
  expect(tokensOf([first, long, last, last])).toBe(150);
  expect(tokensOf([])).toBe(0);
});

it('counts the images of each message once', () => {
  const image = { name: 'a.png', mediaType: 'image/png', base64: 'eA==' } as const;
  const shown: Message = { role: 'user', text: '', images: [image, image] };
  expect(tokensOf([shown])).toBe(3_200);
  expect(tokensOf([shown, shown])).toBe(6_400);
});
