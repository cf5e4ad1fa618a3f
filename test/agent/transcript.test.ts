import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FRESH } from '../../src/agent/guards.js';
import { readTranscript } from '../../src/agent/transcript.js';
import { writeTranscript } from '../../src/agent/transcript-writer.js';
import type { Message, ModelReply } from '../../src/core/model.js';
import { createRedactor } from '../../src/core/secrets.js';

const plain = (text: string) => text;
const said = (text: string): Message => ({
  role: 'assistant',
  text,
  calls: [{ id: '1', name: 'x', arguments: '{"a": 1}' }],
});
const result = (text: string): Message => ({ role: 'tool', callId: '1', name: 'x', text, error: false });

async function written() {
  const dir = mkdtempSync(join(tmpdir(), 'transcript-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'transcript.ndjson');
  const transcript = writeTranscript(file, plain);
  transcript.begin({ key: 'k', model: 'm', system: 's' }, { role: 'user', text: 'go' });
  await transcript.synced();
  const sizes = [statSync(file).size];
  for (const round of [1, 2, 3]) {
    const read = { file: `/f${round}`, sha256: 'x' };
    transcript.round([said(`say ${round}`), result(`result ${round}\n`)], {
      round,
      guards: { ...FRESH, textOnly: round },
      reads: [read],
      ...(round === 3 ? { resolved: { value: 'answer' } } : {}),
    });
    sizes.push(statSync(file).size);
  }
  await transcript.close();
  return { file, bytes: readFileSync(file), sizes };
}

it('reads back, from a file cut at any byte, all whole rounds and nothing of the next', async () => {
  const { file, bytes, sizes } = await written();
  for (let cut = 0; cut <= bytes.length; cut++) {
    writeFileSync(file, bytes.subarray(0, cut));
    const whole = sizes.filter((size) => size <= cut).length - 1;
    const read = readTranscript(file, 'k');
    if (whole < 0) {
      expect(read).toBeUndefined();
      continue;
    }
    expect(read?.rounds).toBe(whole);
    expect(read?.messages).toHaveLength(1 + 2 * whole);
    expect(read?.guards?.textOnly ?? 0).toBe(whole);
    expect(read?.reads).toHaveLength(whole);
    expect(read?.resolved?.value).toBe(whole === 3 ? 'answer' : undefined);
    expect(statSync(file).size).toBe(sizes[whole]);
  }
});

it('a reply whose round ends at once is written once, in its round; one whose round has begun to act is on disk before it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'transcript-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'transcript.ndjson');
  const typesIn = () =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
  const transcript = writeTranscript(file, plain);
  transcript.begin({ key: 'k', model: 'm', system: 's' }, { role: 'user', text: 'go' });
  await transcript.synced();
  const reply = (text: string): ModelReply => ({ text, calls: [], finish: 'stop' });

  transcript.reply({ round: 1, reply: reply('one'), model: 'm' });
  transcript.round([said('one'), result('r')], { round: 1, guards: FRESH, reads: [] });
  expect(typesIn()).toEqual(['head', 'message', 'message', 'message', 'round']);

  transcript.reply({ round: 2, reply: reply('two'), model: 'm' });
  transcript.begun(0);
  expect(typesIn().slice(5)).toEqual(['reply', 'begun']);

  transcript.reply({ round: 3, reply: reply('three'), model: 'm' });
  await transcript.close();
  expect(typesIn().slice(7)).toEqual(['reply']);
});

it('is nothing to go on with under another key, or when there is no file', async () => {
  const { file } = await written();
  expect(readTranscript(file, 'other')).toBeUndefined();
  expect(readTranscript(`${file}.no`, 'k')).toBeUndefined();
});

it('says that a disk took nothing before anything can rest on it, at the next round, and when it is closed', async () => {
  // It takes every byte, and cannot be synced.
  const transcript = writeTranscript('/dev/null', plain);
  transcript.round([said('a')], { round: 1, guards: FRESH, reads: [] });
  await expect(transcript.synced()).rejects.toThrow('fdatasync');
  expect(() => transcript.round([said('b')], { round: 2, guards: FRESH, reads: [] })).toThrow('fdatasync');
  await expect(transcript.close()).rejects.toThrow('fdatasync');
});

it('holds each round as soon as it is written, whole for a reader beside it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'transcript-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'transcript.ndjson');
  const transcript = writeTranscript(file, plain);
  transcript.begin({ key: 'k', model: 'm', system: 's' }, { role: 'user', text: 'go' });
  for (let round = 1; round <= 50; round++) {
    transcript.round([said(`say ${round}`)], { round, guards: FRESH, reads: [] });
    expect(readTranscript(file, 'k')?.rounds).toBe(round);
    if (round % 10 === 0) await transcript.synced();
  }
  await transcript.close();
});

it('holds no secret, whatever the model said, and is read back with its name', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'transcript-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'transcript.ndjson');
  const secret = 'a "quoted" \\ secret';
  const redactor = createRedactor({ A_SECRET: secret });
  const transcript = writeTranscript(file, redactor?.text ?? plain);
  transcript.begin({ key: 'k', model: 'm', system: 's' }, { role: 'user', text: `use ${secret}` });
  const calls = [{ id: '1', name: 'x', arguments: JSON.stringify({ a: secret }) }];
  transcript.round([{ role: 'assistant', text: `I use ${secret}`, calls }, result('done')], {
    round: 1,
    guards: FRESH,
    reads: [],
    resolved: { value: { [secret]: [secret] } },
  });
  await transcript.close();
  expect(redactor?.find(readFileSync(file, 'utf8'))).toBeUndefined();
  const read = readTranscript(file, 'k');
  expect(read?.messages[1]).toMatchObject({
    text: 'I use «redacted:A_SECRET»',
    calls: [{ arguments: '{"a":"«redacted:A_SECRET»"}' }],
  });
  expect(read?.resolved?.value).toEqual({ '«redacted:A_SECRET»': ['«redacted:A_SECRET»'] });
});
