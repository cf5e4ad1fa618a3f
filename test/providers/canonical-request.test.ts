import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message, ModelReply, ModelRequest } from '../../src/core/model.js';
import {
  canonicalReply,
  canonicalRequest,
  createMasks,
  messageOf,
  replyFrom,
} from '../../src/providers/canonical-request.js';

const places = (at: string, slug = 'a-query') => ({
  folders: [
    ['run.dir', `${at}/skill_run/essay/${slug}`],
    ['skill.dir', `${at}/skills/essay`],
    ['project.dir', at],
    ['skills.essay.dir', `${at}/skills/essay`],
  ] as const,
  runIds: [`run-${at.length}-0123456789`],
  slugs: [{ slug, base: 'a-query' }],
});
const request = (messages: readonly Message[], system = 's'): ModelRequest => ({
  model: 'm',
  system,
  messages,
  tools: [],
  toolChoice: 'auto',
  parameters: {},
});

describe('masks', () => {
  const masks = createMasks(places('/home/a'));

  it('name the longest folder, and only whole names', () => {
    const text = '/home/a/skill_run/essay/a-query/x.md /home/a/skills/essay /home/a/skills/essay2 /home/ab /home/a.';
    expect(masks.mask(text)).toBe('«run.dir»/x.md «skill.dir» «project.dir»/skills/essay2 /home/ab «project.dir».');
    expect(masks.unmask(masks.mask(text))).toBe(text);
  });

  it('take the number from a slug that was taken, and leave the words of a query alone', () => {
    const second = createMasks(places('/home/a', 'a-query-2'));
    expect(second.mask('a-query-2, a-query-20, my-a-query-2')).toBe('a-query, a-query-20, my-a-query-2');
    expect(masks.mask('a-query')).toBe('a-query');
  });

  it('give back every text of another place as one of this place', () => {
    const there = createMasks(places('/srv/elsewhere'));
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('/home/a', '/skills/essay', '/x', ' ', 'word', '«', 'run-7-0123456789')),
        (parts) => {
          const text = parts.join('');
          expect(masks.unmask(masks.mask(text))).toBe(text);
          expect(there.mask(there.unmask(masks.mask(text)))).toBe(masks.mask(text));
        },
      ),
    );
  });

  it('let times be equal, and dates differ', () => {
    const asked = (system: string) => canonicalRequest(request([], system), masks).system;
    expect(asked('at 2026-01-02T03:04:05.678Z, 2026-01-02T03:04+01:00')).toBe('at «time», «time»');
    expect(asked('on 2026-01-02')).toBe('on 2026-01-02');
  });
});

it('numbers calls as they appear, also where a server gives one id again and again', () => {
  const call = (name: string) => ({ id: 'call_0', name, arguments: '{}' });
  const result = (name: string): Message => ({ role: 'tool', callId: 'call_0', name, text: '', error: false });
  const said = (name: string): Message => ({ role: 'assistant', text: '', calls: [call(name)] });
  const { messages } = canonicalRequest(
    request([said('a'), result('a'), said('b'), result('b')]),
    createMasks(places('/x')),
  );
  expect(messages.map(({ callId, calls }) => callId ?? (calls as { id: string }[])[0]?.id)).toEqual([
    'call 1',
    'call 1',
    'call 2',
    'call 2',
  ]);
});

it('gives a reply back whole, with ids of its own, which becomes the message that the next request holds', () => {
  const text = fc.string({ unit: 'grapheme' });
  const replies = fc.record(
    {
      text,
      calls: fc.array(fc.record({ id: text, name: text, arguments: text }), { maxLength: 3 }),
      finish: fc.constantFrom('stop' as const, 'calls' as const, 'length' as const),
      reasoning: text,
      usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat(), cachedTokens: fc.nat() }),
    },
    { requiredKeys: ['text', 'calls', 'finish'] },
  );
  const masks = createMasks(places('/home/a'));
  fc.assert(
    fc.property(replies, (reply: ModelReply) => {
      const kept = canonicalReply(reply, masks);
      const again = replyFrom(kept, 4, 'x', masks);
      expect({ ...again, calls: again.calls.map(({ id: _, ...call }) => call) }).toEqual({
        ...reply,
        calls: reply.calls.map(({ id: _, ...call }) => call),
      });
      expect(new Set(again.calls.map(({ id }) => id)).size).toBe(reply.calls.length);
      const { text: said, calls, reasoning } = again;
      const message: Message = {
        role: 'assistant',
        text: said,
        calls,
        ...(reasoning === undefined ? {} : { reasoning }),
      };
      expect(messageOf(kept, [])).toEqual(canonicalRequest(request([message]), masks).messages[0]);
    }),
  );
});

it('a form is a part of what was asked, an image by what it is; neither changes a request that has none', () => {
  const masks = createMasks(places('/home/a'));
  const image = {
    name: '/home/a/x.png',
    mediaType: 'image/png',
    base64: Buffer.from('hi').toString('base64'),
  } as const;
  const plain = canonicalRequest(request([{ role: 'user', text: 'Hi' }]), masks);
  expect(Object.keys(plain)).toEqual(['model', 'parameters', 'toolChoice', 'system', 'tools', 'messages']);
  expect(plain.messages).toEqual([{ role: 'user', text: 'Hi' }]);
  const format = { name: 'v', schema: { const: '/home/a' } };
  const asked = canonicalRequest({ ...request([{ role: 'user', text: 'Hi', images: [image] }]), format }, masks);
  expect(asked).toMatchObject({ format: { name: 'v', schema: { const: '«project.dir»' } } });
  expect(asked.messages[0]).toEqual({
    role: 'user',
    text: 'Hi',
    images: [
      {
        name: '«project.dir»/x.png',
        mediaType: 'image/png',
        sha256: '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
      },
    ],
  });
});
