/** Drafts that were read → steps of the plan. */
import type { Look, StepKind } from '../core/kind.js';
import type { Step } from '../core/plan.js';
import type { Problem } from '../core/problems.js';
import { certainly } from './certain.js';
import type { ChildRead, Draft, PipelineReading } from './draft.js';
import { capital } from './fields.js';
import type { Order } from './order.js';
import { editOf } from './value-edit.js';
import { nodeAt, toJson, type YamlNode } from './yaml-tree.js';

type BoundOf = (draft: Draft) => number | undefined;

/** Lets each kind look at its config. A draft that is not whole has said why, and becomes no step. */
export function finishSteps(
  drafts: readonly Draft[],
  order: Order,
  reading: PipelineReading,
  children: ReadonlyMap<Draft, ChildRead>,
  boundOf: BoundOf,
): Step[] {
  return drafts.flatMap((draft): Step[] => {
    const body = finishBody(draft, order, reading, children, boundOf);
    if (!body) return [];
    const { foreach, repeat, output } = draft;
    return [
      {
        id: draft.id,
        title: draft.title,
        at: draft.at,
        after: order.get(draft) ?? [],
        ...(draft.when ? { when: draft.when } : {}),
        ...(foreach
          ? {
              foreach: {
                over: foreach.over.template,
                maxItems: boundOf(draft) ?? 1,
                minSuccess: foreach.minSuccess,
                ...(foreach.maxParallel === undefined ? {} : { maxParallel: foreach.maxParallel }),
              },
            }
          : {}),
        ...(repeat?.until ? { repeat: { until: repeat.until, max: repeat.max, onMax: repeat.onMax } } : {}),
        ...(output ? { output: { json: output.json, source: output.source, at: output.at } } : {}),
        assert: draft.assert.flatMap(({ that, message }) => (that ? [{ that, message: message.template }] : [])),
        save: draft.save.map(({ path, value, at }) => ({ path, value: value?.template, at })),
        ...draft.plain,
        body,
      },
    ];
  });
}

function finishBody(
  draft: Draft,
  order: Order,
  reading: PipelineReading,
  children: ReadonlyMap<Draft, ChildRead>,
  boundOf: BoundOf,
): Step['body'] | undefined {
  const { body } = draft;
  if (body.type === 'unknown') return undefined;
  if (body.type === 'group') {
    const steps = finishSteps(body.steps, order, reading, children, boundOf);
    return { type: 'group', steps, ...(body.result ? { result: body.result.template } : {}) };
  }
  if (!body.isValid) return undefined;
  if (body.type === 'child') {
    const plan = children.get(draft)?.plan;
    return plan && { type: 'child', plan, config: body.config.template };
  }
  const inspection = body.kind.inspect(toJson(body.node), lookFor(body.kind, body.node, draft, reading));
  return { type: 'leaf', kind: body.kind, config: body.config.template, inspection };
}

function lookFor(kind: StepKind, node: YamlNode, draft: Draft, reading: PipelineReading): Look {
  return {
    skillDir: reading.dir,
    projectDir: reading.projectDir,
    output: draft.output?.json,
    artifacts: draft.plain.artifacts,
    skill: reading.skill,
    findSkill: reading.findSkill,
    tools: reading.tools,
    roles: reading.roles,
    problem(path, message, hint, severity = 'error') {
      const say = severity === 'error' ? reading.notes.error : reading.notes.warn;
      const part = nodeAt(node, path);
      say(`${kind.name}-config`, part.at, capital(message), { hint, edit: nameEdit(part, hint, reading) });
    },
  };
}

/** A name that the hint gives, if no other tool, role or skill is as near to what was written. */
function nameEdit(node: YamlNode, hint: string | undefined, reading: PipelineReading): Problem['edit'] {
  if (node.type !== 'scalar' || typeof node.value !== 'string' || !hint?.startsWith('Did you mean ')) return undefined;
  const known = [...reading.tools.map(({ spec }) => spec.name), ...reading.roles, ...reading.skillNames()];
  const meant = certainly(node.value, known);
  return meant !== undefined && hint.includes(meant) ? editOf(node, meant, reading) : undefined;
}
