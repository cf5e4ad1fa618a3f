/** What a plan may do beyond answering, as a person must know it before agreeing. */
import path from 'node:path';
import type { Template } from '../core/expression.js';
import { kindOf, type LeafBody, type Plan, type Step, stepsIn } from '../core/plan.js';
import { literalAt, sourceOf, valueAt } from '../graph/written.js';

export interface MayDo {
  readonly what: 'runs' | 'tool' | 'model' | 'env' | 'network' | 'reads' | 'writes' | 'publishes' | 'skill';
  /** A command's text, a tool, a name, a path. */
  readonly text: string;
  /** The step, where it is one. */
  readonly step?: string;
}

/** @param projectDir from where paths are said */
export function whatItMayDo(plan: Plan, projectDir: string): MayDo[] {
  return [
    ...ofPermissions(plan, projectDir),
    ...plan.steps.flatMap((step) => ofStep(step, '', { projectDir, skillDir: plan.dir })),
  ];
}

/** What the second list has beyond the first; which step does it is no difference. */
export function beyond(before: readonly MayDo[], after: readonly MayDo[]): MayDo[] {
  const known = new Set(before.map(keyOf));
  return after.filter((one) => !known.has(keyOf(one)));
}

function keyOf({ what, text }: MayDo): string {
  return `${what} ${text}`;
}

function ofPermissions({ permissions }: Plan, projectDir: string): MayDo[] {
  const { env, network, read, write } = permissions;
  const said = (folder: string) => path.relative(projectDir, folder) || '.';
  return [
    ...env.map((text): MayDo => ({ what: 'env', text })),
    ...(network ? [{ what: 'network', text: 'yes' } as const] : []),
    ...read.map((folder): MayDo => ({ what: 'reads', text: said(folder) })),
    ...write.map((folder): MayDo => ({ what: 'writes', text: said(folder) })),
  ];
}

/** Absolute. `skillDir`: of the plan that the step stands in. */
interface Folders {
  readonly projectDir: string;
  readonly skillDir: string;
}

function ofStep(step: Step, above: string, folders: Folders): MayDo[] {
  const { body, save, artifacts } = step;
  const id = `${above}${step.id}`;
  const published = [...save.map((one) => sourceOf(one.path)), ...artifacts];
  const own: MayDo[] = published.map((text) => ({ what: 'publishes', text, step: id }));
  if (body.type === 'leaf') own.push(...ofLeaf(body, kindOf(step), id, folders.skillDir));
  if (body.type === 'child') {
    own.push({ what: 'skill', text: body.plan.name, step: id }, ...ofPermissions(body.plan, folders.projectDir));
  }
  const inside = body.type === 'child' ? { ...folders, skillDir: body.plan.dir } : folders;
  return [...own, ...stepsIn(step).flatMap((inner) => ofStep(inner, `${id}/`, inside))];
}

function ofLeaf({ config, inspection }: LeafBody, kind: string, step: string, skillDir: string): MayDo[] {
  const { startsProcess, starts, tools, models, fallback = [] } = inspection;
  return [
    ...(startsProcess ? [{ what: 'runs', text: starts ?? commandOf(config, kind, skillDir), step } as const] : []),
    ...tools.map((text): MayDo => ({ what: 'tool', text, step })),
    ...[...models, ...fallback].map((text): MayDo => ({ what: 'model', text, step })),
  ];
}

/** A script, an argument list; of a kind that has neither, its whole configuration. */
function commandOf(config: LeafBody['config'], kind: string, skillDir: string): string {
  const script = literalAt(config, 'run');
  if (script !== undefined) return script;
  const command = valueAt(config, 'command');
  return command ? sourceOf(fromSkill(command, skillDir)) : `${kind} ${sourceOf(config)}`;
}

/** Paths into the skill as an author writes them, so that the same skill reads the same in every folder. */
function fromSkill(command: Template, skillDir: string): Template {
  if (command.type === 'list') return { ...command, items: command.items.map((item) => fromSkill(item, skillDir)) };
  if (command.type !== 'literal' || typeof command.value !== 'string') return command;
  const inside = `${skillDir}${path.sep}`;
  if (!command.value.startsWith(inside)) return command;
  return { type: 'literal', value: `\${{ skill.dir }}/${command.value.slice(inside.length)}` };
}
