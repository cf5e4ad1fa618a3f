import { describe, expect, it } from 'vitest';
import type { CanonicalRequest } from '../../src/providers/canonical-request.js';
import { differenceText, likeness } from '../../src/providers/request-difference.js';

const tool = (name: string, description = 'Reads.') => ({ name, description, parameters: { type: 'object' } });
const RECORDED: CanonicalRequest = {
  model: 'm',
  parameters: { temperature: 0.2 },
  toolChoice: 'auto',
  system: 'one\ntwo\nthree',
  tools: [tool('read_file'), tool('resolve')],
  messages: [
    { role: 'user', text: 'go' },
    { role: 'assistant', text: '', calls: [{ id: 'call 1', name: 'read_file', arguments: '{"path":"a"}' }] },
    { role: 'tool', callId: 'call 1', name: 'read_file', text: `${'x'.repeat(200)} old end` },
  ],
};
const asked = (change: Partial<CanonicalRequest>): CanonicalRequest => ({ ...RECORDED, ...change }) as CanonicalRequest;
const text = (change: Partial<CanonicalRequest>) => differenceText(RECORDED, asked(change));

describe('how a request differs', () => {
  it('is nothing where it does not', () => {
    expect(text({})).toBe('');
  });

  it.each<[Partial<CanonicalRequest>, string]>([
    [{ model: 'n' }, '  model: m → n'],
    [{ parameters: { temperature: 0.7, seed: 3 } }, '  parameter temperature: 0.2 → 0.7\n  parameter seed: none → 3'],
    [{ toolChoice: 'required' }, '  tool choice: auto → required'],
    [{ format: { name: 'verdict', schema: {} } }, '  format: none → verdict'],
    [{ system: 'one\n2\nthree' }, '  system, line 2\n    - two\n    + 2'],
    [{ system: 'one\ntwo\nthree\nfour' }, '  system, line 4\n    + four'],
    [{ tools: [tool('resolve')] }, '  tool read_file: removed'],
    [{ tools: [tool('read_file', 'Looks.'), tool('resolve')] }, '  tool read_file, /description: Reads. → Looks.'],
    [{ tools: [tool('resolve'), tool('read_file')] }, '  tools: in another order'],
    [{ messages: RECORDED.messages.slice(0, 1) }, '  messages: 2 of those recorded are not there'],
    [{ messages: [...RECORDED.messages, { role: 'user', text: 'more' }] }, '  messages: 1 more than recorded'],
  ])('by %j is said in a line or two', (change, said) => {
    expect(text(change)).toBe(said);
  });

  it('in the arguments of a call names the call, and in a long line shows the place', () => {
    const [first = {}, second = {}, third = {}] = RECORDED.messages;
    const calls = [{ id: 'call 1', name: 'read_file', arguments: '{"path":"b"}' }];
    const messages = [first, { ...second, calls }, { ...third, text: `${'x'.repeat(200)} new end` }];
    expect(text({ messages })).toBe(
      [
        '  message 2 (assistant), /calls/0/arguments: {"path":"a"} → {"path":"b"}',
        '  message 3 (result of read_file), line 1',
        `    - …${'x'.repeat(29)} old end`,
        `    + …${'x'.repeat(29)} new end`,
      ].join('\n'),
    );
  });

  it('is least to the entry of the same round', () => {
    const later = asked({ messages: [...RECORDED.messages, { role: 'assistant', text: 'x', calls: [] }] });
    const near = asked({ system: 'other', parameters: {} });
    expect(likeness(near, RECORDED)).toBeGreaterThan(likeness(later, RECORDED));
  });
});
