import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Expression, positionIn, type Template, templateExpressions } from '../../src/core/expression.js';
import type { Plan, Step } from '../../src/core/plan.js';
import type { Position, Problem } from '../../src/core/problems.js';
import { bindMacro, children, loopMacro, type Tree, treeOf } from '../../src/core/tree.js';
import { loadPlan } from '../../src/load/load.js';
import { STEP_KINDS, TOOLS } from '../../src/run.js';

const SKILLS = path.resolve(import.meta.dirname, '../../skills');
const dir = mkdtempSync(path.join(tmpdir(), 'mutation-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
for (const skill of ['idea-spark', 'paper-search']) {
  cpSync(path.join(SKILLS, skill), path.join(dir, 'skills', skill), { recursive: true });
}
const FILE = path.join(dir, 'skills/idea-spark/pipeline.yaml');

const check = () => loadPlan('idea-spark', { projectDir: dir, kinds: STEP_KINDS, tools: TOOLS, roles: ['default'] });

/** A word of an expression that must be a name or a literal that is known. */
interface Word {
  readonly kind: 'root' | 'key' | 'function' | 'literal';
  /** As it stands in the file. */
  readonly text: string;
  readonly at: Position;
  readonly expression: Expression;
  /** Of a key: what it is a key of. */
  readonly isOfSteps?: boolean;
}

interface Found {
  readonly expression: Expression;
  /** Other expressions have their types from it: with a mistake in it, theirs cannot be told. */
  readonly bearsTypes: boolean;
}

function expressionsOf(plan: Plan): Found[] {
  const found = (bearsTypes: boolean, ...all: (Expression | Template | undefined)[]): Found[] =>
    all
      .flatMap((one) => (one === undefined ? [] : 'ast' in one ? [one] : templateExpressions(one)))
      .map((expression) => ({ expression, bearsTypes }));
  const ofStep = ({ when, foreach, repeat, assert, save, body }: Step): Found[] => [
    ...found(true, when),
    ...found(false, repeat?.until, ...assert.flatMap(({ that, message }) => [that, message])),
    ...found(false, ...save.flatMap(({ path: where, value }) => [where, value])),
    ...found(true, foreach?.over),
    ...(body.type === 'leaf' ? found(body.kind.name === 'set', body.config) : []),
    ...(body.type === 'group' ? [...found(true, body.result), ...body.steps.flatMap(ofStep)] : []),
  ];
  return [...plan.steps.flatMap(ofStep), ...found(false, plan.result)];
}

function wordsOf(expression: Expression): Word[] {
  const { source } = expression;
  const word = (kind: Word['kind'], start: number, text: string, isOfSteps = false): Word => {
    expect(source.slice(start, start + text.length)).toBe(text);
    return { kind, text, at: positionIn(expression, start), expression, isOfSteps };
  };
  const visit = (tree: Tree): Word[] => {
    const loop = loopMacro(tree);
    const bind = bindMacro(tree);
    const inner = loop ? [loop.list, ...loop.bodies] : bind ? [bind.value, bind.body] : children(tree);
    return [...own(tree), ...inner.flatMap(visit)];
  };
  const own = (tree: Tree): Word[] => {
    switch (tree.op) {
      case 'id':
        return [word('root', tree.start, tree.args)];
      case '.': {
        const [owner, key] = tree.args;
        return [word('key', tree.end - key.length, key, owner.op === 'id' && owner.args === 'steps')];
      }
      case 'call':
        return [word('function', tree.start, tree.args[0])];
      case 'rcall':
        return [word('function', source.indexOf(tree.args[0], tree.args[1].end), tree.args[0])];
      case '==':
      case '!=':
        return tree.args.flatMap(literal);
      case 'in':
        return tree.args[1].op === 'list' ? tree.args[1].args.flatMap(literal) : [];
      default:
        return [];
    }
  };
  const literal = (tree: Tree): Word[] =>
    tree.op === 'value' && typeof tree.args === 'string' && tree.args !== ''
      ? [word('literal', tree.start, source.slice(tree.start, tree.end))]
      : [];
  return visit(treeOf(expression.ast));
}

/** One letter in the middle is another one. */
function misspelled(text: string): string {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle)}${text[middle] === 'q' ? 'z' : 'q'}${text.slice(middle + 1)}`;
}

function offsetOf(text: string, { line, column }: Position): number {
  return text.split('\n', line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

const places = (problems: readonly Problem[]) => problems.map(({ at }) => `${at.line}:${at.column}`);

/** What is there today: more may come. */
const LEAST_WORDS = 600;

describe('idea-spark with one letter changed', async () => {
  const { plan, problems } = await check();
  const whole = readFileSync(FILE, 'utf8');
  const found = plan ? expressionsOf(plan) : [];
  const words = found.map(({ expression }) => wordsOf(expression));

  /** What was not found at its place, of words that are misspelled at once. */
  async function missed(some: readonly Word[]): Promise<string[]> {
    let text = whole;
    for (const { text: written, at } of some) {
      const offset = offsetOf(whole, at);
      expect(whole.slice(offset, offset + written.length)).toBe(written);
      text = text.slice(0, offset) + misspelled(written) + text.slice(offset + written.length);
    }
    writeFileSync(FILE, text);
    const read = await check();
    const said = read.plan ? [] : places(read.problems);
    return some
      .filter(({ at }) => !said.includes(`${at.line}:${at.column}`))
      .map(({ text: written, at, expression }) => `${at.line}:${at.column} ${written} in ${expression.source}`);
  }

  it('is right as it stands, and every expression and reference of it is known', () => {
    expect(problems).toEqual([]);
    const code = whole.replaceAll(/^\s*#.*$/gm, '');
    const conditions = [...code.matchAll(/\b(?:when|until|that|foreach): ./g)].length;
    expect(found).toHaveLength([...code.matchAll(/\$\{\{/g)].length + conditions);
    expect(words.flat().filter(({ isOfSteps }) => isOfSteps)).toHaveLength([...code.matchAll(/\bsteps\.\w/g)].length);
    expect(words.flat().length).toBeGreaterThanOrEqual(LEAST_WORDS);
  });

  it('is refused at the place of the letter, where other expressions hang on it', async () => {
    const alone = words.filter((_, place) => found[place]?.bearsTypes).flat();
    const all: string[] = [];
    for (const word of alone) all.push(...(await missed([word])));
    expect(alone.length).toBeGreaterThan(50);
    expect(all).toEqual([]);
  });

  it('is refused at the place of the letter, in each of the other expressions', async () => {
    const others = words.filter((_, place) => !found[place]?.bearsTypes);
    const all: string[] = [];
    const rounds = Math.max(...others.map((each) => each.length));
    for (let round = 0; round < rounds; round++)
      all.push(...(await missed(others.flatMap((each) => each[round] ?? []))));
    expect(all).toEqual([]);
  });
});
