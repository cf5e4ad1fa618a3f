/** A pipeline file with values put in place of its own, e.g. `steps.audit.agent.model`: as text, so that all checks see it. */
import { nearest, type Problem } from '../core/problems.js';
import { type Source, sourceOf } from './text.js';
import { parseYaml } from './yaml-text.js';
import { pairOf, toJson, type YamlMap, type YamlNode } from './yaml-tree.js';

export type Overrides = Readonly<Record<string, string>>;

export interface Overridden {
  readonly source: Source;
  readonly problems: readonly Problem[];
}

/** @param overrides YAML text by path; `steps.<id>` is the step of that id at any depth */
export function override(source: Source, overrides: Overrides): Overridden {
  const problems: Problem[] = [];
  let text = source.text;
  for (const [path, value] of Object.entries(overrides)) {
    const { root } = parseYaml(sourceOf(source.file, text));
    const replaced = root ? replace(text, root, path, value, source.file) : undefined;
    if (typeof replaced === 'string') text = replaced;
    else if (replaced) problems.push(problemOf(path, replaced));
  }
  return { source: text === source.text ? source : sourceOf(source.file, text), problems };
}

interface Refusal {
  readonly message: string;
  readonly hint?: string;
}

function replace(text: string, root: YamlNode, path: string, value: string, file: string): string | Refusal {
  const given = parseYaml(sourceOf(file, value)).root;
  if (!given) return { message: `"${value}" is no value.`, hint: 'Put a text with special characters in quotes.' };
  const json = JSON.stringify(toJson(given));
  const [first = '', ...rest] = path.split('.');
  let here: YamlNode = root;
  let keys = [first, ...rest];
  if (first === 'steps') {
    const steps = stepsIn(root);
    const [id = '', ...inside] = rest;
    const step = steps.get(id);
    if (!step) {
      const near = nearest(id, [...steps.keys()]);
      return {
        message: `No step has the id "${id}".`,
        hint: near ? `Did you mean "${near}"?` : 'pipeline show lists the steps.',
      };
    }
    here = step;
    keys = inside;
  }
  const last = keys.at(-1);
  if (last === undefined) return { message: 'It names no value to replace.', hint: 'Write steps.<id>.agent.model=…' };
  for (const key of keys.slice(0, -1)) {
    const next = inside(here, key);
    if (!next) return missing(here, key);
    here = next;
  }
  if (here.type !== 'map') return { message: `There is nothing to set "${last}" in.` };
  const known = pairOf(here, last);
  return known ? spliced(text, known.value.start, known.value.end, json) : inserted(text, here, last, json);
}

/** The value of a key; of a group, also a step of it by its id. */
function inside(here: YamlNode, key: string): YamlNode | undefined {
  if (here.type !== 'map') return undefined;
  const own = pairOf(here, key)?.value;
  if (own) return own;
  const steps = pairOf(here, 'steps')?.value;
  return steps?.type === 'list' ? steps.items.find((step) => idOf(step) === key) : undefined;
}

function idOf(step: YamlNode): string | undefined {
  const id = step.type === 'map' ? pairOf(step, 'id')?.value : undefined;
  return id?.type === 'scalar' ? String(id.value) : undefined;
}

function missing(here: YamlNode, key: string): Refusal {
  const keys = here.type === 'map' ? here.pairs.map((pair) => pair.key) : [];
  const near = nearest(key, keys);
  const hint = near ? `Did you mean "${near}"?` : keys.length > 0 ? `There are: ${keys.join(', ')}.` : undefined;
  return { message: `There is no "${key}".`, ...(hint ? { hint } : {}) };
}

function spliced(text: string, start: number, end: number, json: string): string {
  const tail = /\s*$/.exec(text.slice(start, end))?.[0] ?? '';
  return `${text.slice(0, start)}${json}${tail}${text.slice(end)}`;
}

/** Before the first key, in the mapping's own manner. */
function inserted(text: string, map: YamlMap, key: string, json: string): string | Refusal {
  const [first] = map.pairs;
  if (!first) return spliced(text, map.start, map.end, `{ ${key}: ${json} }`);
  const { start, at } = first.keySpan;
  const isFlow = text[map.start] === '{';
  const gap = isFlow ? ', ' : `\n${' '.repeat(at.column - 1)}`;
  return `${text.slice(0, start)}${key}: ${json}${gap}${text.slice(start)}`;
}

/** Steps at any depth, by id. */
function stepsIn(root: YamlNode): Map<string, YamlNode> {
  const found = new Map<string, YamlNode>();
  const visit = (list: YamlNode | undefined) => {
    for (const step of list?.type === 'list' ? list.items : []) {
      if (step.type !== 'map') continue;
      const id = idOf(step);
      if (id !== undefined) found.set(id, step);
      visit(pairOf(step, 'steps')?.value);
    }
  };
  visit(root.type === 'map' ? pairOf(root, 'steps')?.value : undefined);
  return found;
}

function problemOf(path: string, { message, hint }: Refusal): Problem {
  const at = { file: `--set ${path}`, line: 1, column: 1 };
  return { severity: 'error', rule: 'override', message, at, ...(hint ? { hint } : {}) };
}
