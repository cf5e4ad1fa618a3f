/** Holds src/ to its layers: imports run downwards, each library is known to one place, processes start in one place. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const SRC = new URL('../src', import.meta.url).pathname;

/** What each part may import beside itself. */
const MAY: Record<string, readonly string[]> = {
  cli: [
    'run',
    'request',
    'load',
    'graph',
    'forecast',
    'init',
    'reference',
    'explain',
    'testing',
    'simulate',
    'ui',
    'engine',
    'agent',
    'talk',
    'chat',
    'providers',
    'sinks',
    'skills',
    'machine',
    'bundled-skills',
    'stop',
    'core',
    'version',
  ],
  index: ['adapters', 'run', 'request', 'providers', 'core'],
  adapters: ['steps', 'agent', 'tools', 'core'],
  simulate: ['testing', 'perform', 'run', 'request', 'load', 'engine', 'agent', 'providers', 'files', 'core'],
  testing: ['run', 'request', 'load', 'engine', 'providers', 'files', 'core'],
  request: ['adapters', 'load', 'providers', 'files', 'core'],
  recordings: ['agent', 'engine', 'providers', 'files', 'core'],
  'going-on': ['request', 'engine', 'providers', 'core'],
  ui: ['run', 'stop', 'report', 'load', 'forecast', 'skills', 'engine', 'process', 'files', 'core'],
  machine: ['tools', 'process', 'sandbox', 'core'],
  talk: ['run', 'request', 'machine', 'chat', 'load', 'skills', 'process', 'providers', 'core'],
  stop: ['engine', 'process', 'core'],
  run: [
    'bundled-skills',
    'adapters',
    'machine',
    'skills',
    'going-on',
    'perform',
    'request',
    'recordings',
    'load',
    'engine',
    'steps',
    'driver',
    'tools',
    'process',
    'providers',
    'core',
  ],
  perform: ['request', 'load', 'engine', 'process', 'providers', 'report', 'sinks', 'files', 'core', 'version'],
  report: ['explain', 'graph', 'engine', 'agent', 'files', 'core'],
  explain: ['sinks', 'core'],
  skills: ['graph', 'load', 'files', 'core'],
  graph: ['core'],
  forecast: ['graph', 'core'],
  init: [],
  reference: ['load', 'core'],
  load: ['files', 'core'],
  engine: ['files', 'core'],
  steps: ['agent', 'tools', 'files', 'core'],
  driver: ['steps', 'agent', 'files', 'core'],
  chat: ['agent', 'tools', 'files', 'core'],
  agent: ['files', 'core'],
  tools: ['files', 'core'],
  process: ['core'],
  sandbox: ['files', 'core'],
  providers: ['core'],
  sinks: ['core'],
  files: ['core'],
  core: [],
  version: [],
  'bundled-skills': [],
};

/** The only places that know these libraries. */
const OWNERS: Record<string, RegExp> = {
  ajv: /^core\/(schema|precompiled)/,
  'ajv-formats': /^core\/schema/,
  '@marcbachmann/cel-js': /^core\/cel\.ts$/,
  yaml: /^(load\/yaml|load\/front-matter|providers\/script)/,
  'gray-matter': /^load\/front-matter\.ts$/,
  openai: /^providers\/(openai|request-body)\.ts$/,
  '@anthropic-ai/sdk': /^providers\/anthropic(-body|-stream)?\.ts$/,
  execa: /^skills\/git\.ts$/,
  'node:child_process': /^(process\/|engine\/process-identity\.ts$)/,
  diff: /^core\/compare-(json|text)\.ts$/,
  hono: /^ui\//,
  '@hono/node-server': /^ui\/serve\.ts$/,
  commander: /^cli\/(program|commands-[a-z]+)\.ts$/,
  slugify: /^engine\/slug\.ts$/,
  '@pydantic/genai-prices': /^providers\/prices\.ts$/,
  '@dagrejs/dagre': /^graph\/layout\.ts$/,
  'pinyin-pro': /^engine\/slug\.ts$/,
  '@opentelemetry': /^sinks\/otel(-library)?\.ts$/,
  'markdown-it': /^report\/markdown\.ts$/,
};

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly isOwn: boolean;
}

/** Static, type-only, dynamic imports and re-exports alike. */
function edges(): Edge[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((from) => {
    const text = readFileSync(join(SRC, from), 'utf8');
    const names = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*\(?['"]([^'"]+)['"]/g);
    return [...names].map(([, name = '']) => ({
      from,
      isOwn: name.startsWith('.'),
      to: name.startsWith('.') ? relative(SRC, join(SRC, dirname(from), name)) : name,
    }));
  });
}

const partOf = (file: string) => (file.split('/')[0] ?? '').replace(/\.(ts|js)$/, '');

it('imports only downwards, and only the neighbours that the layers allow', () => {
  const own = edges().filter(({ isOwn }) => isOwn);
  expect(own.length).toBeGreaterThan(100);
  const wrong = own.filter(({ from, to }) => partOf(from) !== partOf(to) && !MAY[partOf(from)]?.includes(partOf(to)));
  expect(wrong).toEqual([]);
});

/** Of the simulation: each folder may import those of the lines before its own. */
const SIMULATION = [['disk', 'choices'], ['values'], ['adversary'], ['promises'], ['found']];

it('orders the folders of the simulation: each imports only those below it', () => {
  const levelOf = (file: string) => {
    const [, folder = ''] = /^simulate\/([^/]+)\/./.exec(file) ?? [];
    return { folder, level: SIMULATION.findIndex((names) => names.includes(folder)) };
  };
  const between = edges().filter(({ from, to }) => levelOf(from).level >= 0 && levelOf(to).level >= 0);
  expect(between.length).toBeGreaterThan(50);
  const wrong = between.filter(({ from, to }) => {
    const [own, other] = [levelOf(from), levelOf(to)];
    return own.folder !== other.folder && other.level >= own.level;
  });
  expect(wrong).toEqual([]);
});

it('has no circle of imports in the simulation, nor in what tests skills', () => {
  const imports = new Map<string, string[]>();
  for (const { from, to, isOwn } of edges()) {
    if (!isOwn || !/^(simulate|testing)\//.test(from) || !/^(simulate|testing)\//.test(to)) continue;
    imports.set(from, [...(imports.get(from) ?? []), to.replace(/\.js$/, '.ts')]);
  }
  const settled = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, trail: readonly string[]) => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (trail.includes(file) || settled.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...trail, file]);
    settled.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  expect(imports.size).toBeGreaterThan(50);
  expect(circles).toEqual([]);
});

it('knows each library in one place', () => {
  const wrong = edges().filter(({ from, to }) => {
    const name = Object.keys(OWNERS).find((owned) => to === owned || to.startsWith(`${owned}/`));
    return name !== undefined && !OWNERS[name]?.test(from);
  });
  expect(wrong).toEqual([]);
});

it('says the purpose of each file in its first line', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const silent = files.filter((file) => !/^(#!.*\n)?\/\*\*\s/.test(readFileSync(join(SRC, file), 'utf8')));
  expect(silent).toEqual([]);
});
