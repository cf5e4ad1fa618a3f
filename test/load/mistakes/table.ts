/** Writes each mistake at every kind of place, and compares what the check says with the mark in the text. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Problem } from '../../../src/core/problems.js';
import { load } from '../arena.js';
import { BASE, CONTEXTS, type Slot, type Step } from './places.js';
import { BLOCK_STYLES, FLOW_STYLES, flow, type Style, withoutMark, type Yaml, yamlOf } from './writing.js';

/** What the check must say. */
interface Said {
  readonly rule: string;
  /** Part of the message. */
  readonly says: string;
}

export interface Mistake extends Said {
  /** With a mark; spaces stand only where a line may break. */
  readonly expression: string;
}

interface Layout {
  readonly style: Style;
  readonly layout: 'block' | 'flow value' | 'flow step';
}

const LAYOUTS: readonly Layout[] = [
  ...BLOCK_STYLES.map((style): Layout => ({ style, layout: 'block' })),
  ...FLOW_STYLES.map((style): Layout => ({ style, layout: 'flow value' })),
  ...FLOW_STYLES.map((style): Layout => ({ style, layout: 'flow step' })),
];

export interface Written {
  /** Where the mistake stands, for people. */
  readonly place: string;
  readonly text: string;
  /** `line:column` */
  readonly at: string;
}

/** Of the pairs of a context and a layout, one in so many: of a mistake each layout once, each context twice; over a table all pairs. */
const ONE_IN = 9;

/** In each context several layouts, each layout in several contexts, the slots in turn. `shift`: which of the pairs. */
export function everywhere(
  mistake: Mistake,
  slots: Readonly<Record<string, Slot>>,
  shift = 0,
  base: readonly Step[] = BASE,
  more: Step = {},
): Written[] {
  const named = Object.entries(slots);
  let turn = shift;
  return Object.entries(CONTEXTS).flatMap(([context, put], row) =>
    LAYOUTS.flatMap(({ style, layout }, column): Written[] => {
      if ((row * 2 + column + shift) % ONE_IN !== 0) return [];
      for (let tries = 0; tries < named.length; tries++) {
        const [slotName, slot] = named[turn++ % named.length] as [string, Slot];
        const step = { id: 'wrong', ...more, ...slot(mistake.expression, style, layout === 'flow value') };
        const steps = put(step, base);
        const shown = steps && fileText(layout === 'flow step' ? steps.map((each) => inFlow(each)) : steps);
        if (shown === undefined) continue;
        const place = `${slotName}, ${style}, ${layout}, in ${context}`;
        const isCrlf = turn % 7 === 0;
        return [{ place, ...withoutMark(isCrlf ? shown.replaceAll('\n', '\r\n') : shown) }];
      }
      return [];
    }),
  );
}

/** The wrong step alone, the lists around it stay as they are. */
function inFlow(step: Step): Yaml {
  if (step.id === 'wrong') return flow(step);
  if (!Array.isArray(step.steps)) return step;
  return { ...step, steps: (step.steps as readonly Step[]).map(inFlow) };
}

export function fileText(steps: readonly Yaml[], more: Step = {}): string | undefined {
  return yamlOf({ version: 1, inputs: flow({ tone: { type: 'string', default: 'plain' } }), ...more, steps });
}

/** Loads one file after another in one folder. */
export function desk(files: Readonly<Record<string, string>> = {}): (text: string) => Promise<readonly Problem[]> {
  const dir = mkdtempSync(path.join(tmpdir(), 'mistakes-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const skill = path.join(dir, 'skills/one');
  mkdirSync(skill, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(skill, name)), { recursive: true });
    writeFileSync(path.join(skill, name), content);
  }
  return async (text) => {
    writeFileSync(path.join(skill, 'pipeline.yaml'), text);
    return (await load('one', dir)).problems;
  };
}

/** What the check said otherwise than it should, with the files. Empty if all is well. */
export async function missed(
  mistake: Pick<Mistake, 'rule' | 'says'>,
  written: readonly Written[],
  look = desk(),
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { place, text, at } of written) {
    const problems = await look(text);
    const [only, ...others] = problems;
    const isRight =
      only !== undefined &&
      others.length === 0 &&
      only.rule === mistake.rule &&
      only.message.includes(mistake.says) &&
      `${only.at.line}:${only.at.column}` === at;
    if (isRight) continue;
    const said = problems.map(({ rule, message, at: where }) => `${rule} ${where.line}:${where.column} ${message}`);
    wrong.push(`${place}: expected ${at}, said ${said.join(' | ') || 'nothing'}`);
  }
  return wrong;
}
