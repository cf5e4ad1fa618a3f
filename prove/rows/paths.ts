/** Paths that lead out, given to each file tool, to `save`, to `artifacts`; paths that lead in, while a folder on their way is swapped for a link. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { JsonObject } from '../../src/core/json.js';
import type { Tool } from '../../src/core/tool.js';
import { createBlobs } from '../../src/engine/blobs.js';
import { collectWork } from '../../src/engine/collect.js';
import type { Task } from '../../src/engine/place.js';
import { createPublisher } from '../../src/engine/publish.js';
import { saveFiles } from '../../src/engine/save.js';
import { globFiles } from '../../src/files/glob.js';
import { realFiles } from '../../src/files/layer.js';
import { listFilesTool } from '../../src/tools/list-files.js';
import { patchFileTool } from '../../src/tools/patch-file.js';
import { readFileTool } from '../../src/tools/read-file.js';
import { searchFilesTool } from '../../src/tools/search-files.js';
import { writeFileTool } from '../../src/tools/write-file.js';
import type { Place } from '../../test/tools/context.js';
import { type Escape, escapes } from '../escapes.js';
import { CANARY, FOREIGN, type HostilePlace, hostilePlace, outsideOf, SECRET_FILES } from '../hostile-place.js';
import type { Figure, Row } from '../row.js';
import { swapping } from '../swapper.js';
import { trials } from '../trials.js';

const PATHS = { small: 100, large: 300 };
const RACE_TRIES = { small: 300, large: 2_000 };
const LOOKING: readonly (readonly [Tool, (path: string) => JsonObject])[] = [
  [readFileTool, (path) => ({ path })],
  [listFilesTool, (path) => ({ path })],
  [searchFilesTool, (path) => ({ path, text: 'canary' })],
];
const WRITING: readonly (readonly [Tool, (path: string) => JsonObject])[] = [
  [writeFileTool, (path) => ({ path, content: 'written' })],
  [patchFileTool, (path) => ({ path, find: 'canary', replace: 'patched' })],
];
/** Of the run itself: whoever could publish there could forge a resume. */
const OURS = ['events.ndjson', 'run.json', 'REPORT.html', './run.json', '.lock', '.steps/a/output.json', 'x/.hidden'];

export const row: Row = {
  name: 'paths',
  promise:
    'paths that lead out × every file tool, `save`, `artifacts`; then a folder swapped for a link while they work',
  target: 'all refused; outside 0 bytes read, written or made',
  async prove(size, { seed }) {
    const { at } = hostilePlace();
    const paths = escapes(PATHS[size], seed, at);
    const tried = await trials(paths.length, 1, (index) => refusedEverywhere(paths[index] as Escape, at));
    const raced = await race(RACE_TRIES[size]);
    return {
      tried: tried.tried + raced.tried,
      faults: [...tried.faults, ...(await keptInside(at)), ...raced.faults],
      also: `${paths.length} paths, ${raced.tried} tries of 5 tools during ${raced.swaps} swaps`,
    };
  },
  bare: {
    of: 'path.resolve with startsWith, as it is often written',
    async prove(size, { seed }) {
      const { at } = hostilePlace();
      const paths = escapes(PATHS[size], seed, at);
      return { tried: paths.length, faults: paths.flatMap(({ path }) => byPrefix(path, at) ?? []) };
    },
  },
  guards: [
    {
      says: 'no link is followed on the way to a file',
      file: 'src/files/folder.ts',
      find: 'const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;',
      replace: 'const flags = O_RDONLY | O_DIRECTORY;',
    },
    {
      says: 'the real path is compared, not the written one',
      file: 'src/files/jail.ts',
      find: "if (!isInside(realRoot, real)) throw outside(path, [root], ' by a link');",
      replace: '',
    },
    {
      says: 'names that may hold secrets are never read',
      file: 'src/files/jail.ts',
      find: "if (secret) throw new Fault('step.path', `${quote(path)} may not be read: ${secret}.`);",
      replace: '',
    },
    {
      says: 'files of the run itself are never published over',
      file: 'src/files/names.ts',
      find: 'if (OURS.has(first.toLowerCase())) return `${basename(first)} is a file of the run itself`;',
      replace: '',
    },
  ],
};

async function refusedEverywhere({ path, isOfSystem }: Escape, at: Place): Promise<string[]> {
  const before = outsideOf(at);
  const faults: string[] = [];
  const say = (who: string, what: string) => faults.push(`${who} ${JSON.stringify(path)}: ${what}`);
  for (const [{ spec }, said] of await answers(isOfSystem ? LOOKING : [...LOOKING, ...WRITING], path, at)) {
    if (!said.startsWith('error: ')) say(spec.name, `went through: ${said.slice(0, 80)}`);
    if (showsOutside(said, path)) say(spec.name, 'told what is outside');
  }
  if (published(path, at)) say('save', 'went through');
  const matched = await globFiles(at.work, [path]);
  if (!matched.every((file) => SECRET_FILES.includes(file))) say('artifacts', `found ${matched}`);
  if (outsideOf(at) !== before) say('one of them', 'changed what is outside');
  return faults;
}

async function answers(tools: typeof LOOKING, path: string, at: Place): Promise<[Tool, string][]> {
  const said: [Tool, string][] = [];
  for (const [tool, args] of tools) said.push([tool, await at.call(tool, args(path))]);
  return said;
}

/** A refusal may repeat the path itself. */
function showsOutside(said: string, path: string): boolean {
  const own = said.replaceAll(path, '').replaceAll(JSON.stringify(path).slice(1, -1), '');
  const list = own.replace(/^error: .*/s, '');
  return own.includes(CANARY) || list.includes(FOREIGN) || own.includes('root:x:') || own.includes('localhost');
}

/** As a step's `save` does it. */
function published(path: string, at: Place): boolean {
  const publisher = createPublisher(at.run, createBlobs(join(at.base, 'blobs'), realFiles), realFiles, new Map());
  const step = { save: [{ path: { type: 'literal', value: path } }] };
  const task = { saves: true, step, prefix: '', frame: { steps: new Map() } } as unknown as Task;
  try {
    publisher.publish(
      { path: 'a', family: 'a' },
      saveFiles(task, 'saved', {} as never, { placeholder: false, redactor: undefined }),
    );
  } catch {
    return false;
  }
  return true;
}

/** What lies inside by its name, though not in truth; what is inside, though nobody's to touch. */
async function keptInside(at: Place): Promise<string[]> {
  const before = outsideOf(at);
  const blobs = join(at.base, 'collected');
  const left = collectWork(at.work, '', createBlobs(blobs, realFiles));
  const through = left.artifacts.filter(({ path }) => /^(out|up|leak|self|dir\/(out|base))/.test(path));
  rmSync(blobs, { recursive: true, force: true });
  const searched = await at.call(searchFilesTool, { path: '.', text: 'canary' });
  return [
    ...OURS.filter((path) => published(path, at)).map((path) => `save ${path}: a file of the run was written over`),
    ...through.map(({ path }) => `artifacts: ${path} was taken through a link`),
    ...(searched.includes(CANARY) ? [`search_files of all: ${searched.slice(0, 200)}`] : []),
    ...(outsideOf(at) === before ? [] : ['what is outside was changed']),
  ];
}

async function race(tries: number): Promise<Figure & { readonly swaps: number }> {
  const place = hostilePlace();
  const { at, outside } = place;
  const dir = join(at.work, 'dir');
  for (const root of [at.work, at.run, at.skill]) rmSync(join(root, 'dir'), { recursive: true });
  mkdirSync(dir);
  writeFileSync(join(dir, 'file'), 'inside');
  const before = readdirSync(outside).sort().join();
  const end = await swapping({ dir, aside: join(at.base, 'aside'), outside });
  const figure = await trials(tries, 1, (index) => raceOnce(index, place));
  const swaps = await end();
  const changed =
    readdirSync(outside).sort().join() !== before || readFileSync(join(outside, 'file'), 'utf8') !== CANARY;
  return {
    ...figure,
    faults: changed ? [...figure.faults, 'race: what is outside was changed'] : figure.faults,
    swaps,
  };
}

async function raceOnce(index: number, { at }: HostilePlace): Promise<string | undefined> {
  const path = 'dir/file';
  const said = [
    await at.call(readFileTool, { path }),
    await at.call(writeFileTool, { path, content: 'inside' }),
    await at.call(writeFileTool, { path: `dir/new/${index % 10}`, content: 'inside' }),
    await at.call(patchFileTool, { path, find: 'canary', replace: 'patched' }),
    await at.call(searchFilesTool, { path: 'dir', text: 'canary' }),
    await at.call(listFilesTool, { path: 'dir' }),
  ].join('\n');
  return said.includes(CANARY) || said.includes(FOREIGN) ? `race: ${said.slice(0, 200)}` : undefined;
}

/** Whether a file would be read or written there; nothing is touched. */
function byPrefix(path: string, at: Place): string | undefined {
  const target = resolve(at.work, path);
  if (!target.startsWith(at.work)) return undefined;
  try {
    const real = realpathSync(target.includes('\0') ? dirname(target) : target);
    return real.startsWith(`${at.work}/`) && !/\/\.|id_|pem$/.test(real.slice(at.work.length))
      ? undefined
      : `${JSON.stringify(path)} is ${real}`;
  } catch {
    return undefined;
  }
}
