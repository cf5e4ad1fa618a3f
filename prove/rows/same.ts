/** A run is done twice with the same scripted model, in two folders and in another order of what runs side by side. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Recorded } from '../../src/core/events.js';
import { canonicalJson, type Json } from '../../src/core/json.js';
import { askingAt, scripted } from '../../test/e2e/script-server.js';
import { type AtEnd, BUNDLED_SKILLS, difference, type Ran, type Workspace, workspace } from '../../test/support/cli.js';
import { type Answer, mockServer } from '../../test/support/mock-server.js';
import { randomFrom } from '../random.js';
import { randomPipeline } from '../random-pipeline.js';
import type { Row } from '../row.js';
import { trials } from '../trials.js';

const FIXTURE = 'kill-row';
const QUERY = 'sparse attention for long documents';
const SLUG = 'sparse-attention-for-long-documents';
const AT_ONCE = 2;
const LONGEST_ANSWER_MS = 30;

/** How one of both runs comes to be; `models` is the same server for both. */
interface Pair {
  readonly says: string;
  readonly skill: string;
  readonly args: readonly string[];
  readonly asksServer?: true;
  place(atEnd: AtEnd): Workspace;
}

export const row: Row = {
  name: 'same',
  promise: 'the same scripted model twice',
  target: 'artifacts byte-equal; the events of each step path equal and in the same order, times and ids masked',
  async prove(size, { seed }) {
    const models = await mockServer(unhurried());
    let compared = 0;
    try {
      const figure = await trials(size === 'large' ? 100 : 20, AT_ONCE, async (index) => {
        const pair = pairs(seed * 1_000_003 + index)[index % 5] as Pair;
        const undo: (() => void)[] = [];
        try {
          const two: Done[] = [];
          for (let turn = 0; turn < 2; turn++) {
            const place = pair.place((clean) => undo.push(clean));
            const env = pair.asksServer ? askingAt(models.url) : {};
            const ran = await place.pipeline(['run', ...pair.args, '--quiet'], env);
            if (ran.code !== 0) return `${pair.says}: it ended with ${ran.code ?? ran.signal}: ${ran.stderr}`;
            two.push({ place, ran, events: place.events(`${pair.skill}/${SLUG}`) });
          }
          const [one, other] = two as [Done, Done];
          compared += one.events.length;
          return faultsOf(pair.skill, one, other).map((fault) => `${pair.says}: ${fault}`);
        } finally {
          for (const clean of undo) clean();
        }
      });
      return { ...figure, also: `${compared} events compared` };
    } finally {
      await models.close();
    }
  },
  guards: [
    {
      says: 'results stand in the order of the items',
      file: 'src/engine/slots.ts',
      find: 'results[index] = await work(items[index] as T, index);',
      replace: `const result = await work(items[index] as T, index);
      results[Object.keys(results).length] = result;`,
    },
    {
      says: 'a key holds no folder',
      file: 'src/engine/key.ts',
      find: 'const named = isPlaced(template, running) ? renderIn(template, frame, running.namedRoots) : config;',
      replace: 'const named = isPlaced(template, running) ? config : renderIn(template, frame, running.namedRoots);',
    },
    {
      says: 'a key does not tell which file was published first',
      file: 'src/engine/publish.ts',
      find: 'return hashJson(Object.fromEntries(named) as Record<string, string>);',
      replace: 'return hashJson(named);',
    },
    {
      says: 'published files are listed by name',
      file: 'src/engine/publish.ts',
      find: '[...(below.get(path)?.keys() ?? [])].sort()',
      replace: '[...(below.get(path)?.keys() ?? [])]',
    },
  ],
};

interface Done {
  readonly place: Workspace;
  readonly ran: Ran;
  readonly events: readonly Recorded[];
}

function pairs(seed: number): readonly Pair[] {
  const agents = ['kill-agents.yaml', QUERY];
  const written: Pair = {
    says: `random pipeline ${seed}`,
    skill: 'random',
    args: ['pipeline.yaml', QUERY, '--model', 'sketch'],
    place(atEnd) {
      const place = workspace(undefined, atEnd);
      for (const [path, text] of Object.entries(randomPipeline(randomFrom(seed)))) place.write(path, text);
      return place;
    },
  };
  return [
    {
      says: 'idea-spark on sketch',
      skill: 'idea-spark',
      args: ['idea-spark', QUERY, '--model', 'sketch'],
      place(atEnd) {
        const place = workspace(undefined, atEnd);
        cpSync(BUNDLED_SKILLS, join(place.dir, 'skills'), { recursive: true });
        return place;
      },
    },
    written,
    {
      says: 'agents at a server',
      skill: 'kill-agents',
      args: agents,
      asksServer: true,
      place: (atEnd) => workspace(FIXTURE, atEnd),
    },
    written,
    {
      says: 'agents on a script',
      skill: 'kill-agents',
      args: [...agents, '--model', 'script:turns.yaml'],
      place: (atEnd) => workspace(FIXTURE, atEnd),
    },
  ];
}

/** Each answer takes another time, so that agents side by side come to their ends in another order. */
function unhurried(): Answer {
  const answer = scripted(FIXTURE);
  return (request) => ({ ...answer(request), delayMs: Math.random() * LONGEST_ANSWER_MS });
}

function faultsOf(skill: string, one: Done, other: Done): string[] {
  const faults: string[] = [];
  const differs = difference(runOf(skill, one), runOf(skill, other));
  if (differs !== '') faults.push(`other files: ${differs}`);
  if (resultOf(one.ran) !== resultOf(other.ran)) faults.push('another result');
  const [ones, others] = [byPath(one), byPath(other)];
  for (const path of new Set([...ones.keys(), ...others.keys()])) {
    const [a, b] = [ones.get(path) ?? [], others.get(path) ?? []];
    const at = Array.from({ length: Math.max(a.length, b.length) }).findIndex((_, event) => a[event] !== b[event]);
    if (at >= 0) faults.push(`event ${at + 1} of "${path}":\n${around(a[at], b[at])}\n${around(b[at], a[at])}`);
  }
  return faults;
}

const runOf = (skill: string, { place }: Done) => join(place.dir, 'skill_run', skill, SLUG);
/** The first line is the folder. */
const resultOf = ({ stdout }: Ran) => stdout.slice(stdout.indexOf('\n'));

/** The events of each path in their order, and under '' those of the run, as texts without what differs from run to run. */
function byPath({ place, events }: Done): ReadonlyMap<string, readonly string[]> {
  const run = events.find((event) => event.type === 'run_started')?.run ?? '';
  const all = new Map<string, string[]>();
  for (const event of events) {
    const path = 'path' in event ? event.path : '';
    const text = canonicalJson(timeless(event as unknown as Json));
    all.set(path, [
      ...(all.get(path) ?? []),
      text.replaceAll(place.dir, '«project»').replaceAll(run, '«run»').replace(TIME, '«time»'),
    ]);
  }
  return all;
}

const TIMES = new Set(['seq', 'at', 'ms', 'crc']);
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function timeless(value: Json): Json {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !TIMES.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, timeless(inner)]));
}

/** Where the first differs from the second. */
function around(text = 'none', other = 'none'): string {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  return `${text.slice(0, 60)} … ${text.slice(Math.max(60, at - 40), at + 120)}`;
}
