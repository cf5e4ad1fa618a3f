/** Fuzzes the reading of a journal: damaged bytes, and lines of others that have the right checksum. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recorded } from '../../src/core/events.js';
import type { Json } from '../../src/core/json.js';
import { createBlobs } from '../../src/engine/blobs.js';
import { readJournal } from '../../src/engine/journal.js';
import { encode } from '../../src/engine/journal-line.js';
import { realFiles } from '../../src/files/layer.js';
import { project } from '../../test/support/project.js';
import { below, damagedBytes, mutated, pick } from './mutate.js';
import { mutatedJson } from './mutate-json.js';
import { orFault, type Random, type Target } from './target.js';

const PIPELINE = `version: 1
name: t
steps:
  - id: words
    set: { list: [tea, rice], long: '\${{ query }}' }
  - id: each
    foreach: \${{ steps.words.output.list }}
    max_items: 4
    shell: { command: [echo, '\${{ item }}'] }
    save: out/\${{ item }}.md
  - id: twice
    repeat: { until: iteration == 2, max: 2 }
    shell: { command: [echo, again] }
result: \${{ steps.each.output }}
`;
const KEYS = ['seq', 'at', 'type', 'whole', 'crc', 'path', 'key', 'format', 'output', '__proto__'];
const WORDS = [
  ',"crc":"00000000"}',
  '"seq":1',
  '"seq":2,',
  '{',
  '}',
  '\0',
  '\0'.repeat(512),
  '\n',
  '"whole":"00"',
  '"type":"run_started"',
  '"format":2',
];

export const journal: Target = {
  name: 'journal',
  inputs: 300,
  async open(dir) {
    const ran = await project({ 'pipeline.yaml': PIPELINE }).run({ query: 'tea '.repeat(6_000) });
    const text = readFileSync(join(ran.dir, 'events.ndjson'), 'utf8');
    const blobs = createBlobs(join(ran.dir, '.steps/.blobs'), realFiles);
    const file = join(dir, 'events.ndjson');
    const recordsIn = (bytes: Uint8Array) => {
      writeFileSync(file, bytes);
      const records: Recorded[] = [];
      orFault(() => readJournal(file, blobs, (record) => void records.push(record)));
      return records;
    };
    const written = recordsIn(Buffer.from(text)).map((record) => JSON.stringify(record));
    const corpus = { texts: [text], words: WORDS };
    return (random) => {
      const isForged = random() < 0.3;
      const input = isForged ? Buffer.from(forged(text, random)) : damagedBytes(mutated(corpus, random), random);
      return {
        input,
        read() {
          const strange = recordsIn(input).findIndex((record, index) => JSON.stringify(record) !== written[index]);
          return isForged || strange < 0 ? undefined : `record ${strange + 1} was never written`;
        },
      };
    };
  },
};

function forged(text: string, random: Random): string {
  const records = text.split('\n').slice(0, -1);
  const lines = [...records];
  for (let left = 1 + below(3, random); left > 0; left--) {
    const record = JSON.parse(pick(records, random)) as { readonly crc?: string };
    const { crc: _crc, ...body } = record;
    lines[below(lines.length, random)] = encode(mutatedJson(body as Json, KEYS, random) as never).trimEnd();
  }
  return `${lines.join('\n')}\n`;
}
