import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import type { CanonicalRequest } from '../../src/providers/canonical-request.js';
import { messageOf } from '../../src/providers/canonical-request.js';
import {
  appendExchange,
  type Exchange,
  fileOf,
  readExchanges,
  recordedSteps,
  writeExchanges,
} from '../../src/providers/cassette.js';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'cassette-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const reply = fc.record({ text: fc.string(), finish: fc.constant('stop') }) as fc.Arbitrary<JsonObject>;
const request = fc.record({
  model: fc.constantFrom('a', 'b'),
  parameters: fc.constantFrom<JsonObject>({}, { temperature: 1 }),
  toolChoice: fc.constantFrom('auto', 'required'),
  system: fc.constantFrom('one\nline', 'another'),
  tools: fc.constantFrom<JsonObject[]>([], [{ name: 't', description: '', parameters: {} }]),
  messages: fc.array(fc.record({ role: fc.constant('user'), text: fc.string() }), { maxLength: 3 }),
}) as fc.Arbitrary<CanonicalRequest>;
/** Conversations that go on, stop, and begin again. */
const exchanges = fc.array(fc.tuple(request, reply, fc.boolean()), { maxLength: 8 }).map((parts) => {
  const all: Exchange[] = [];
  for (const [own, said, goesOn] of parts) {
    const before = all.at(-1);
    const known = before ? [...before.request.messages, messageOf(before.reply, before.request.messages)] : [];
    all.push({ request: goesOn ? { ...own, messages: [...known, ...own.messages] } : own, reply: said });
  }
  return all;
});

it('reads back what was written, at once or one by one, each line without what the line before says', () => {
  const dir = folder();
  fc.assert(
    fc.property(exchanges, (all) => {
      writeExchanges(dir, 'a', all);
      writeExchanges(dir, 'b/0', []);
      for (const [at, one] of all.entries()) appendExchange(dir, 'b/0', one, all[at - 1]);
      expect(readExchanges(dir, 'a')).toEqual(all);
      expect(readExchanges(dir, 'b/0')).toEqual(all);
      expect(readFileSync(join(dir, fileOf('a')))).toEqual(readFileSync(join(dir, fileOf('b/0'))));
    }),
  );
});

it('names a file for each path, and gives the path back', () => {
  const dir = folder();
  const paths = ['a', 'a/0/b', 'a/0b', '../x', 'a b', ''];
  for (const path of paths) writeExchanges(dir, path, []);
  expect(new Set(paths.map(fileOf)).size).toBe(paths.length);
  for (const path of paths) expect(fileOf(path)).not.toMatch(/[/\\]|^\.\.$/);
  expect(recordedSteps(dir)).toEqual(expect.arrayContaining(['a', 'a/0/b', 'a/0b']));
});

it('leaves out a torn last line, and refuses a broken one before it with its place', () => {
  const dir = folder();
  const one = {
    request: { model: 'm', parameters: {}, toolChoice: 'auto', system: '', tools: [], messages: [] },
    reply: {},
  };
  writeExchanges(dir, 'a', [one]);
  appendFileSync(join(dir, 'a.ndjson'), '{"request":{"mess');
  expect(readExchanges(dir, 'a')).toEqual([one]);
  writeFileSync(join(dir, 'a.ndjson'), '{"request":{"mess\n{}\n');
  expect(() => readExchanges(dir, 'a')).toThrow(/a\.ndjson:1/);
});
