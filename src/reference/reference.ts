/** What `pipeline reference` says: one text from which an agent can write a pipeline, made from what is registered so that it cannot drift. */
import type { JsonObject } from '../core/json.js';
import type { StepKind } from '../core/kind.js';
import type { Tool } from '../core/tool.js';
import { editorSchema } from '../load/editor-schema.js';
import { EXAMPLE, exampleText } from './example.js';
import { functionTexts } from './function-text.js';
import { keyLines, propertyOf } from './schema-text.js';
import * as texts from './texts.js';

export interface Section {
  readonly id: string;
  readonly title: string;
  /** Markdown, without the title. */
  readonly text: string;
}

export interface Reference {
  readonly sections: readonly Section[];
  /** Of a pipeline.yaml. */
  readonly schema: JsonObject;
  readonly tools: readonly Tool['spec'][];
  /** A whole skill: path below its folder → text. */
  readonly example: Readonly<Record<string, string>>;
}

export function referenceOf(kinds: readonly StepKind[], tools: readonly Tool[]): Reference {
  const schema = editorSchema(kinds);
  const step = propertyOf(schema.definitions, 'step');
  const names = ['steps', ...kinds.map(({ name }) => name), 'pipeline'];
  const section = (id: string, title: string, ...parts: readonly string[]): Section => ({
    id,
    title,
    text: parts.join('\n\n'),
  });
  return {
    sections: [
      section('begin', 'Write a pipeline', texts.BEGIN),
      section('loop', 'The loop', texts.LOOP),
      section('top', 'Keys at the top of pipeline.yaml', keyLines(schema)),
      section(
        'step',
        'Keys of a step',
        texts.STEP,
        keyLines(step, ({ key }) => !names.includes(key)),
      ),
      section(
        'kinds',
        'Kinds of steps',
        texts.KINDS,
        ...names.map((name) => kindText(name, propertyOf(step.properties, name))),
      ),
      section('tools', 'Tools of an agent', toolsText(tools)),
      section('expressions', 'Expressions', texts.EXPRESSIONS, functionTexts()),
      section('processes', 'Processes', texts.PROCESSES),
      section('rules', 'Rules that save a round', texts.RULES),
      section('tests', 'Tests', texts.TESTS),
      section('modes', 'Skills without steps', texts.MODES),
      section('exits', 'Exit codes', texts.EXITS),
      section('example', 'A whole example', exampleText()),
    ],
    schema,
    tools: tools.map(({ spec }) => spec),
    example: EXAMPLE,
  };
}

export function referenceText({ sections }: Reference): string {
  return sections.map(({ title, text }, index) => `${index === 0 ? '#' : '##'} ${title}\n\n${text}\n`).join('\n');
}

function kindText(name: string, schema: JsonObject): string {
  const keys = keyLines(schema);
  return `### ${name}\n\n${String(schema.description ?? '')}${keys === '' ? '' : `\n\n${keys}`}`;
}

function toolsText(tools: readonly Tool[]): string {
  return tools
    .map(
      ({ spec }) =>
        `- \`${spec.name}\`(${Object.keys(propertyOf(spec.parameters, 'properties')).join(', ')}): ${firstSentence(spec.description)}`,
    )
    .join('\n');
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}
