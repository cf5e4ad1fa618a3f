/** YAML values with `${{ }}` → templates or conditions. */
import { compileCondition, compileText, type Expression, type Template } from '../core/expression.js';
import type { Json } from '../core/json.js';
import type { Problem } from '../core/problems.js';
import type { Notes } from './notes.js';
import { describeNode, toJson, type YamlNode, type YamlScalar } from './yaml-tree.js';

export interface Compiled {
  readonly template: Template;
  /** False if a part could not be read: nothing is known of the value then. */
  readonly isWhole: boolean;
  /** Only the text of a file is not known: what else stands there can be judged. */
  readonly lacksText?: true;
  /** Texts in it that are written as a path, without braces. */
  readonly paths?: readonly YamlScalar[];
}

/** `inputs.tone`, `steps.b.output[0]`. */
const PATH = /^\s*[a-z_]\w*(?:\.\w+|\["[^"]+"\]|\[\d+\])+\s*$/;
const isPathLike = (text: string) => PATH.test(text);

export function compileNode(node: YamlNode, notes: Notes): Compiled {
  switch (node.type) {
    case 'broken':
      return { template: { type: 'literal', value: null }, isWhole: false };
    case 'scalar': {
      if (typeof node.value !== 'string') return { template: { type: 'literal', value: node.value }, isWhole: true };
      const compiled = compileText(node.value, node.locate);
      if ('template' in compiled)
        return { template: compiled.template, isWhole: true, ...(isPathLike(node.value) ? { paths: [node] } : {}) };
      sayProblems(compiled.problems, node, notes);
      return { template: compiled.readable, isWhole: false };
    }
    case 'list': {
      const items = node.items.map((item) => compileNode(item, notes));
      return {
        template: listOf(items.map(({ template }) => template)),
        isWhole: items.every(({ isWhole }) => isWhole),
        ...pathsOf(items),
      };
    }
    case 'map': {
      const entries = node.pairs.map(({ key, value }) => [key, compileNode(value, notes)] as const);
      return {
        template: mapOf(entries.map(([key, { template }]) => [key, template])),
        isWhole: entries.every(([, { isWhole }]) => isWhole),
        ...pathsOf(entries.map(([, value]) => value)),
      };
    }
  }
}

export function pathsOf(all: readonly Compiled[]): Pick<Compiled, 'paths'> {
  const paths = all.flatMap(({ paths = [] }) => paths);
  return paths.length > 0 ? { paths } : {};
}

export function literalOf(node: YamlNode): Template {
  return { type: 'literal', value: toJson(node) };
}

/** A list or mapping without any expression is plain data. */
function listOf(items: readonly Template[]): Template {
  const values = literals(items);
  return values ? { type: 'literal', value: values } : { type: 'list', items };
}

export function mapOf(entries: readonly (readonly [string, Template])[]): Template {
  const values = literals(entries.map(([, value]) => value));
  if (!values) return { type: 'map', entries };
  return { type: 'literal', value: Object.fromEntries(entries.map(([key], index) => [key, values[index] ?? null])) };
}

function literals(templates: readonly Template[]): Json[] | undefined {
  const values: Json[] = [];
  for (const template of templates) {
    if (template.type !== 'literal') return undefined;
    values.push(template.value);
  }
  return values;
}

/** For `when`, `until`, `that`: true and false may stand there as YAML writes them. */
export function compileConditionNode(node: YamlNode, key: string, notes: Notes): Expression | undefined {
  if (node.type === 'broken') return undefined;
  if (node.type !== 'scalar' || node.value === null || typeof node.value === 'number') {
    notes.error('wrong-type', node.at, `"${key}" must be an expression, not ${describeNode(node)}.`, {
      hint: 'Put the expression in single quotes.',
    });
    return undefined;
  }
  const compiled = compileCondition(String(node.value), node.locate);
  if ('expression' in compiled) return compiled.expression;
  sayProblems(compiled.problems, node, notes);
  return undefined;
}

/** What is cut off by a comment is no mistake of the expression. */
function sayProblems(problems: readonly Problem[], node: YamlScalar, notes: Notes): void {
  if (!node.comment) {
    notes.problems.push(...problems);
    return;
  }
  notes.error('yaml-comment', node.comment, 'YAML reads " #" as the start of a comment: the value ends before it.', {
    hint: 'Put the whole value in single quotes.',
  });
}
