/** Mistakes that people make in a pipeline file, one at each place where it can be made. */
import type { Aliases } from '../../src/load/fields.js';
import { KIND_ALIASES, STEP_ALIASES, TOP_ALIASES } from '../../src/load/keys.js';
import { sourceOf } from '../../src/load/text.js';
import { parseYaml } from '../../src/load/yaml-text.js';
import type { YamlMap, YamlNode, YamlPair } from '../../src/load/yaml-tree.js';

export interface Mutation {
  readonly kind: string;
  /** Offsets into the text. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Numbers from 0 to 1, the same for one seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function applied(text: string, mutations: readonly Mutation[]): string {
  const fromBehind = [...mutations].sort((a, b) => b.start - a.start);
  return fromBehind.reduce((now, { start, end, text: new_ }) => now.slice(0, start) + new_ + now.slice(end), text);
}

/** Every place where a mistake can be made, with one that is made there. */
export function mutationsOf(text: string, random: () => number): Mutation[] {
  const { root } = parseYaml(sourceOf('pipeline.yaml', text));
  if (root?.type !== 'map') throw new Error('the text is no mapping');
  return [...structural(root, text, random), ...inExpressions(root, text, random)];
}

const CONFIG_MAPS = ['repeat', 'retry', 'limits', 'permissions', 'agent', 'shell', 'end', 'pipeline', 'gate'];
const CHOICES = ['on_max', 'on_error', 'on_failure', 'effect', 'status'];
const DURATIONS = ['timeout', 'idle_timeout', 'time', 'backoff'];
const NUMBERS = ['max', 'max_items', 'max_parallel', 'attempts', 'tokens', 'max_rounds', 'min_success'];
const FILES = ['instructions', 'prompt', 'output'];

function structural(root: YamlMap, text: string, random: () => number): Mutation[] {
  const found: Mutation[] = [];
  const put = (kind: string, { start, end }: { start: number; end: number }, written: string): void => {
    if (written !== text.slice(start, end)) found.push({ kind, start, end, text: written });
  };

  const visitKey = ({ key, keySpan }: YamlPair, aliases: Aliases): void => {
    put('key', keySpan, misspelled(key, random));
    const others = Object.entries(aliases).filter(([, alias]) => 'key' in alias && alias.key === key);
    const [alias] = others[Math.floor(random() * others.length)] ?? [];
    if (alias !== undefined) put('alias', keySpan, alias);
  };

  const visitValue = ({ key, value }: YamlPair): void => {
    if (value.type === 'list' && key === 'needs')
      for (const item of value.items)
        if (item.type === 'scalar') put('need', item, misspelled(String(item.value), random));
    if (value.type !== 'scalar' || value.value === null) return;
    const written = String(value.value);
    if (CHOICES.includes(key)) put('choice', value, misspelled(written, random));
    if (DURATIONS.includes(key)) put('duration', value, oddDuration(written, random));
    if (NUMBERS.includes(key) && typeof value.value === 'number') put('number', value, oddNumber(written, random));
    if (typeof value.value === 'boolean') put('boolean', value, oddBoolean(value.value, random));
    if (FILES.includes(key) && /^\S+\.(md|txt|json|ya?ml)$/.test(written))
      put('file', value, misspelledFile(written, random));
    if (key === 'model' && /^[a-z]+$/.test(written)) put('model', value, misspelled(written, random));
    if (key === 'id' && written.includes('_')) put('id', value, random() < 0.5 ? hyphens(written) : camel(written));
  };

  const visitConfig = (node: YamlNode, aliases: Aliases): void => {
    if (node.type !== 'map') return;
    for (const pair of node.pairs) {
      visitKey(pair, aliases);
      visitValue(pair);
    }
  };

  const visitSteps = (node: YamlNode): void => {
    if (node.type !== 'list') return;
    for (const step of node.items) {
      if (step.type !== 'map') continue;
      visitConfig(step, STEP_ALIASES);
      for (const { key, value } of step.pairs) {
        if (key === 'steps') visitSteps(value);
        if (key === 'assert' && value.type === 'list') for (const item of value.items) visitConfig(item, {});
        if (CONFIG_MAPS.includes(key)) visitConfig(value, KIND_ALIASES[key] ?? {});
      }
    }
  };

  visitConfig(root, TOP_ALIASES);
  for (const { key, value } of root.pairs) {
    if (key === 'steps') visitSteps(value);
    if (CONFIG_MAPS.includes(key)) visitConfig(value, {});
  }
  for (const scalar of scalarsOf(root)) {
    const written = text.slice(scalar.start, scalar.end);
    const bare = /^(["'])([^"'\\]+)\1$/.exec(written)?.[2];
    if (bare !== undefined) put('quotes', scalar, bare);
  }
  return found;
}

const CONDITIONS = /^\s*(?:- )?(?:when|foreach|until|that): *(?![|>[])(.*)$/gm;
const WORDS: readonly (readonly [string, RegExp])[] = [
  ['step', /(?<=\bsteps\.)[a-z]\w*/g],
  ['field', /(?<=[a-z_\])]\.)(?<!\bsteps\.|\bskills\.)[a-z]\w*\b(?!\()/g],
  ['root', /(?<![\w."'])(?:steps|inputs|query|item|output|previous|iteration)\b(?!["':])/g],
  ['literal', /(?<=[!=]= ?\\?")\w+(?=\\?")/g],
  ['call', /(?<![\w"'])[a-z_]{3,}(?=\()/g],
  ['skill', /(?<=\bskills\.)\w+/g],
];

function inExpressions(root: YamlMap, text: string, random: () => number): Mutation[] {
  const inBraces = [...text.matchAll(/\$\{\{(.*?)\}\}/gs)].map((match) => spanOf(match, 1));
  const bare = [...text.matchAll(CONDITIONS)].map((match) => spanOf(match, 1));
  const spans = [...inBraces, ...bare];
  const comments = [...text.matchAll(/^\s*#.*$/gm)].map((match) => spanOf(match, 0));
  const isRead = (at: number): boolean =>
    spans.some(({ start, end }) => start <= at && at < end) &&
    !comments.some(({ start, end }) => start <= at && at < end);
  const found = WORDS.flatMap(([kind, word]) =>
    [...text.matchAll(word)]
      .filter(({ index }) => isRead(index))
      .map((match): Mutation => ({ kind, ...spanOf(match, 0), text: misspelled(match[0], random) })),
  );
  return root.type === 'map' ? found : [];
}

function spanOf(match: RegExpMatchArray, group: number): { readonly start: number; readonly end: number } {
  const part = match[group] ?? '';
  const start = (match.index ?? 0) + (group === 0 ? 0 : match[0].lastIndexOf(part));
  return { start, end: start + part.length };
}

function scalarsOf(node: YamlNode): YamlNode[] {
  if (node.type === 'map') return node.pairs.flatMap(({ value }) => scalarsOf(value));
  if (node.type === 'list') return node.items.flatMap(scalarsOf);
  return [node];
}

/** One slip: two letters in the wrong order, one missing, one twice, one beside the right one. */
function misspelled(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 1));
  const [a = '', b = ''] = [word[at - 1], word[at]];
  const slips = [
    `${word.slice(0, at - 1)}${b}${a}${word.slice(at + 1)}`,
    word.length > 3 ? `${word.slice(0, at)}${word.slice(at + 1)}` : `${word}${b}`,
    `${word.slice(0, at)}${b}${word.slice(at)}`,
    `${word.slice(0, at)}${b === 'e' ? 'r' : 'e'}${word.slice(at + 1)}`,
  ];
  const slip = slips[Math.floor(random() * slips.length)] ?? word;
  return slip === word ? `${word}${word.at(-1)}` : slip;
}

function misspelledFile(name: string, random: () => number): string {
  const from = name.lastIndexOf('/') + 1;
  const to = name.indexOf('.', from);
  return `${name.slice(0, from)}${misspelled(name.slice(from, to), random)}${name.slice(to)}`;
}

function oddDuration(written: string, random: () => number): string {
  const [, count = '', unit = ''] = /^(\d+)([a-z]+)$/.exec(written) ?? [];
  const words: Readonly<Record<string, readonly string[]>> = {
    s: ['sec', ' s', ' seconds', 'S'],
    m: ['min', ' m', ' minutes', 'mins'],
    h: ['hr', ' h', ' hours', 'H'],
    ms: ['msec', ' ms', ' milliseconds', 'millis'],
  };
  const odd = words[unit] ?? [];
  return unit === '' ? written : `${count}${odd[Math.floor(random() * odd.length)]}`;
}

function oddNumber(written: string, random: () => number): string {
  if (written.length > 3 && random() < 0.5) return `${written.slice(0, -3)}_${written.slice(-3)}`;
  return `"${written}"`;
}

function oddBoolean(value: boolean, random: () => number): string {
  const odd = value ? ['yes', 'on', '"true"', 'yEs'] : ['no', 'off', '"false"', 'nO'];
  return odd[Math.floor(random() * odd.length)] ?? '';
}

function hyphens(id: string): string {
  return id.replaceAll('_', '-');
}

function camel(id: string): string {
  return id.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
