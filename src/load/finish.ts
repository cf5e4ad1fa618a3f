/** Drafts that were read → steps of the plan. */
import type { Look, StepKind } from '../core/kind.js';
import type { Step } from '../core/plan.js';
import type { ChildRead, Draft, PipelineReading } from './draft.js';
import { capital } from './fields.js';
import type { Order } from './order.js';
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
    hasOutputSchema: draft.hasOutput,
    skill: reading.skill,
    findSkill: reading.findSkill,
    tools: reading.tools,
    roles: reading.roles,
    problem(path, message, hint, severity = 'error') {
      const say = severity === 'error' ? reading.notes.error : reading.notes.warn;
      say(`${kind.name}-config`, nodeAt(node, path).at, capital(message), { hint });
    },
  };
}
