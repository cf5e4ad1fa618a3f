/** Reads a step that runs another skill: `pipeline: { skill, query, inputs }`. */
import path from 'node:path';
import type { Permissions } from '../core/plan.js';
import { nearest, type Position } from '../core/problems.js';
import { isReallyWithin } from '../files/real-path.js';
import { addedTo, isTooLarge, MAX_LEVELS, MAX_STEPS, type PlanSize } from './child-size.js';
import type { ChildRead, Draft, DraftBody, PipelineReading } from './draft.js';
import { KIND_ALIASES } from './keys.js';
import { checkConfig, shorthandHint } from './kind-config.js';
import type { Notes } from './notes.js';
import { type ConfigShape, compileConfig } from './text-files.js';
import { describeNode, type YamlPair } from './yaml-tree.js';

/** The shape of its config, as kinds of leaf steps declare theirs. */
export const CHILD = {
  name: 'pipeline',
  schema: {
    type: 'object',
    description: 'Another skill, whatever it runs as; its files are published below `<id>/`.',
    properties: {
      skill: { type: 'string', description: 'Its name, as pipeline list shows it.' },
      query: { type: 'string', description: "What it is run over; this pipeline's own query unless given." },
      inputs: { type: 'object', description: 'Values of its inputs by name.' },
    },
    required: ['skill'],
    additionalProperties: false,
  },
  verbatim: ['skill'],
  textFiles: [],
} as const satisfies ConfigShape;

export function readChild(pair: YamlPair, reading: PipelineReading): DraftBody {
  const { notes } = reading;
  const { value: node } = pair;
  const before = notes.problems.length;
  if (node.type !== 'map' && node.type !== 'broken') {
    notes.error('wrong-type', node.at, `"pipeline" must be a mapping, not ${describeNode(node)}.`, {
      hint:
        node.type === 'scalar' ? `Write pipeline: { skill: ${String(node.value)} }.` : shorthandHint(CHILD.name, node),
    });
  } else checkConfig(node, { what: '"pipeline"', schema: CHILD.schema, aliases: KIND_ALIASES.pipeline }, reading);
  const isValid = notes.problems.length === before;
  const config = compileConfig(node, CHILD, reading);
  const name = node.type === 'map' ? node.pairs.find(({ key }) => key === 'skill')?.value : undefined;
  const skill =
    name?.type === 'scalar' && typeof name.value === 'string'
      ? { text: name.value, at: name.at, node: name }
      : undefined;
  return { type: 'child', node, config, skill, isValid: isValid && config.isWhole };
}

/** Reads the pipelines that steps run; the problems of each are said once. */
export async function readChildren(
  drafts: readonly Draft[],
  reading: PipelineReading,
): Promise<ReadonlyMap<Draft, ChildRead>> {
  const children = new Map<Draft, ChildRead>();
  for (const draft of drafts) {
    if (draft.body.type !== 'child' || !draft.body.skill) continue;
    const { text, at } = draft.body.skill;
    const skill = reading.findSkill(text);
    if (skill) children.set(draft, await reading.loadChild(skill, at));
    else sayUnknown(text, at, reading);
  }
  return children;
}

function sayUnknown(name: string, at: Position, { notes, projectDir, skillFault, skillNames }: PipelineReading): void {
  const fault = skillFault(name);
  if (fault) {
    const place = `${path.relative(projectDir, fault.at.file)}:${fault.at.line}`;
    const message = `The skill "${name}" cannot be used: ${fault.message}`;
    notes.error('unknown-skill', at, message, { hint: [fault.hint, `It is said of ${place}.`].join(' ').trim() });
    return;
  }
  const near = nearest(name, skillNames());
  const hint = near ? `Did you mean "${near}"?` : 'pipeline list shows the skills there are.';
  notes.error('unknown-skill', at, `There is no skill "${name}".`, { hint });
}

/** Whether the written inputs fit the child, before any expression is asked. */
export function checkChildInputs({ body }: Draft, child: ChildRead, reading: PipelineReading): void {
  if (body.type !== 'child' || body.node.type !== 'map' || !child.plan) return;
  const { plan } = child;
  const pair = body.node.pairs.find(({ key }) => key === 'inputs');
  const schema = plan.inputs;
  if (pair?.value.type === 'map') {
    checkConfig(pair.value, { what: `inputs of "${plan.name}"`, schema, isOwn: true }, reading);
    return;
  }
  if (pair) return;
  const missing = (Array.isArray(schema.required) ? schema.required : []).filter((name) => typeof name === 'string');
  if (missing.length === 0 || !body.skill) return;
  const what = missing.map((name) => `"${name}"`).join(', ');
  reading.notes.error('missing-key', body.skill.at, `The pipeline "${plan.name}" needs inputs: ${what}.`, {
    hint: `Add inputs: { ${missing.map((name) => `${name}: …`).join(', ')} }.`,
  });
}

/** Each step that runs another pipeline counts with all that it runs. */
export function checkChildSize(
  drafts: readonly Draft[],
  children: ReadonlyMap<Draft, ChildRead>,
  notes: Notes,
): PlanSize {
  let size: PlanSize = { steps: drafts.length, levels: 1 };
  for (const [{ body }, child] of children) {
    const isInBounds = !isTooLarge(size);
    size = addedTo(size, child.size);
    if (isInBounds && isTooLarge(size) && body.type === 'child' && body.skill) sayTooLarge(body.skill.at, notes);
  }
  return size;
}

export function sayTooLarge(at: Position, notes: Notes): void {
  const message = `With what this step runs, the pipeline has more than ${MAX_STEPS} steps, or pipelines in more than ${MAX_LEVELS} levels.`;
  notes.error('child-size', at, message, {
    hint: 'Let a step go over a list (foreach) instead of many that run the same.',
  });
}

/** What a child asks for beyond its parent is not given: said, since it may fail without it. */
export function checkChildPermissions(
  { body }: Draft,
  { plan }: ChildRead,
  parent: Permissions,
  { notes, projectDir }: PipelineReading,
): void {
  if (body.type !== 'child' || !body.skill || !plan) return;
  const { read, write, env } = plan.permissions;
  const readable = [...parent.read, ...parent.write];
  const shown = (file: string): string => path.relative(projectDir, file) || '.';
  const more = [
    ...read.filter((file) => !isWithin(readable, file)).map((file) => `read ${shown(file)}`),
    ...write.filter((file) => !isWithin(parent.write, file)).map((file) => `write ${shown(file)}`),
    ...env.filter((name) => !parent.env.includes(name)).map((name) => `env ${name}`),
  ];
  if (more.length === 0) return;
  notes.warn(
    'child-permissions',
    body.skill.at,
    `"${plan.name}" asks for ${more.join(', ')}, which this pipeline has not.`,
    { hint: 'It runs without them. Grant them here too: permissions: { … }.' },
  );
}

/** As the engine judges it when the child begins: wherever links lead. */
function isWithin(roots: readonly string[], file: string): boolean {
  return roots.some((root) => isReallyWithin(root, file));
}
