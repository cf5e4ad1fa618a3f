/** A kind's config as a template: files named by one word are read in, what is verbatim stays as it is. */
import path from 'node:path';
import { compileText } from '../core/expression.js';
import type { StepKind } from '../core/kind.js';
import { nearest } from '../core/problems.js';
import { certainly } from './certain.js';
import { asConfigText } from './config-text.js';
import type { PipelineReading } from './draft.js';
import { besideOf, nearbyFiles } from './nearby.js';
import { type Compiled, compileNode, literalOf, mapOf, pathsOf } from './templates.js';
import { readText } from './text.js';
import { editOf } from './value-edit.js';
import type { YamlNode, YamlPair, YamlScalar } from './yaml-tree.js';

/** What is known of a config before its kind looks at it. */
export type ConfigShape = Pick<StepKind, 'name' | 'schema' | 'verbatim' | 'textFiles'>;

export function compileConfig(node: YamlNode, kind: ConfigShape, reading: PipelineReading): Compiled {
  if (node.type !== 'map') return compileNode(node, reading.notes);
  const entries = node.pairs.map((pair) => [pair.key, compileEntry(pair, kind, reading)] as const);
  return {
    template: asConfigText(mapOf(entries.map(([key, { template }]) => [key, template])), kind.schema),
    isWhole: entries.every(([, { isWhole }]) => isWhole),
    ...pathsOf(entries.map(([, compiled]) => compiled)),
    ...(entries.every(([, { isWhole, lacksText }]) => isWhole || lacksText) ? { lacksText: true } : {}),
  };
}

function compileEntry({ key, value }: YamlPair, kind: ConfigShape, reading: PipelineReading): Compiled {
  const isVerbatim = kind.verbatim.includes(key);
  if (value.type === 'broken') return compileNode(value, reading.notes);
  if (
    kind.textFiles.includes(key) &&
    value.type === 'scalar' &&
    typeof value.value === 'string' &&
    isFileName(value.value)
  ) {
    return readIn(value, value.value, isVerbatim, reading);
  }
  if (!isVerbatim) return compileNode(value, reading.notes);
  sayNotTemplated(key, value, kind, reading);
  return { template: literalOf(value), isWhole: true };
}

function isFileName(text: string): boolean {
  return /^\S+\.(md|txt)$/i.test(text) && !text.includes('${{');
}

function readIn(node: YamlScalar, name: string, isVerbatim: boolean, reading: PipelineReading): Compiled {
  const file = path.resolve(reading.dir, name);
  const read = readText(file, [reading.dir]);
  const unknown: Compiled = { template: { type: 'literal', value: '' }, isWhole: false, lacksText: true };
  if (read.type === 'fault') {
    const files = read.reason === 'missing' ? nearbyFiles(path.dirname(file)) : [];
    const near = nearest(path.basename(name), files);
    const meant = certainly(path.basename(name), files);
    const reason = read.reason === 'outside' ? 'It lies outside of the folder of this pipeline.' : read.message;
    const hint = near
      ? `Did you mean "${path.join(path.dirname(name), near)}"?`
      : read.reason === 'missing'
        ? 'Paths begin at the pipeline file.'
        : undefined;
    reading.notes.error('text-file', node.at, `The file "${name}" cannot be read. ${reason}`, {
      hint,
      edit: editOf(node, meant && besideOf(name, meant), reading),
    });
    return unknown;
  }
  const { source } = read;
  if (isVerbatim) return { template: { type: 'literal', value: source.text }, isWhole: true };
  const compiled = compileText(source.text, source.position);
  if ('template' in compiled) return { template: compiled.template, isWhole: true };
  reading.notes.problems.push(...compiled.problems);
  return { template: compiled.readable, isWhole: false, lacksText: true };
}

function sayNotTemplated(key: string, value: YamlNode, kind: ConfigShape, { notes }: PipelineReading): void {
  if (value.type !== 'scalar' || typeof value.value !== 'string') return;
  const offset = value.value.search(/(?<!\$)\$\{\{/);
  if (offset === -1) return;
  if (kind.name === 'shell') {
    notes.error('shell-template', value.locate(offset), `A script holds no \${{ }}: text never becomes shell.`, {
      hint: 'Pass it by env, argv (command: […]) or stdin.',
    });
  } else {
    notes.warn('verbatim', value.locate(offset), `"${key}" is never templated: the braces stay as they are.`, {
      hint: 'Put what changes into the prompt.',
    });
  }
}
