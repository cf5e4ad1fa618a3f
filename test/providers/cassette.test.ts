import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  readModels,
  recordedSteps,
  writeExchanges,
} from '../../src/providers/cassette.js';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'cassette-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const SEEN = { role: 'user', text: '', images: [{ name: 'a.png', mediaType: 'image/png', sha256: 'ab12' }] };
const reply = fc.record({ text: fc.string(), finish: fc.constant('stop') }) as fc.Arbitrary<JsonObject>;
const request = fc
  .record({
    model: fc.constantFrom('a', 'b'),
    parameters: fc.constantFrom<JsonObject>({}, { temperature: 1 }),
    toolChoice: fc.constantFrom('auto', 'required'),
    system: fc.constantFrom('one\nline', 'another'),
    tools: fc.constantFrom<JsonObject[]>([], [{ name: 't', description: '', parameters: {} }]),
    messages: fc.array(fc.oneof(fc.record({ role: fc.constant('user'), text: fc.string() }), fc.constant(SEEN)), {
      maxLength: 3,
    }),
    format: fc.option(fc.constantFrom<JsonObject>({ name: 'a', schema: true }, { name: 'a', schema: {} })),
  })
  .map(({ format, ...rest }) => (format ? { ...rest, format } : rest)) as fc.Arbitrary<CanonicalRequest>;
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
    reply: { finish: 'stop' },
  };
  writeExchanges(dir, 'a', [one]);
  appendFileSync(join(dir, 'a.ndjson'), '{"request":{"mess');
  expect(readExchanges(dir, 'a')).toEqual([one]);
  writeFileSync(join(dir, 'a.ndjson'), '{"request":{"mess\n{}\n');
  expect(() => readExchanges(dir, 'a')).toThrow(/a\.ndjson:1/);
});

const ENTRY = {
  request: { model: 'm', parameters: {}, toolChoice: 'auto', system: '', tools: [], messages: [] },
  reply: { finish: 'stop' },
};
const MESSAGES: readonly unknown[] = [5, [null], [{ role: '__proto__', text: '' }], [{ role: 'user', text: 5 }]];

it.each<unknown>([
  { request: {}, reply: {} },
  { ...ENTRY, reply: { finish: 'stop', calls: 'none' } },
  { ...ENTRY, reply: { finish: 'maybe' } },
  { ...ENTRY, reply: { finish: 'stop', usage: 5 } },
  { ...ENTRY, request: { ...ENTRY.request, added: [1] } },
  ...MESSAGES.map((messages) => ({ ...ENTRY, request: { ...ENTRY.request, messages } })),
])('refuses %j with file and line', (line) => {
  const dir = folder();
  writeFileSync(join(dir, 'a.ndjson'), `${JSON.stringify(ENTRY)}\n${JSON.stringify(line)}\n`);
  const wanted = { code: 'input.replay', message: expect.stringContaining('a.ndjson:2') };
  expect(() => readExchanges(dir, 'a')).toThrow(expect.objectContaining({ data: expect.objectContaining(wanted) }));
});

it('passes over a file whose name stands for no step', () => {
  const dir = folder();
  writeFileSync(join(dir, '%zz.ndjson'), '');
  writeExchanges(dir, 'a', []);
  expect(recordedSteps(dir)).toEqual(['a']);
});

it('refuses a pipe or a device in the place of a file, and a head that names no models', () => {
  const dir = folder();
  execFileSync('mkfifo', [join(dir, 'a.ndjson'), join(dir, 'cassette.json')]);
  symlinkSync('/dev/zero', join(dir, 'b.ndjson'));
  for (const path of ['a', 'b']) expect(() => readExchanges(dir, path)).toThrow('is not a regular file');
  expect(() => readModels(dir)).toThrow('is not a regular file');
  rmSync(join(dir, 'cassette.json'));
  writeFileSync(join(dir, 'cassette.json'), '{"format":1,"models":{"default":null}}');
  expect(() => readModels(dir)).toThrow('no head of a cassette');
});
