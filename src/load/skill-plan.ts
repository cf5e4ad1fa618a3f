/** A bare SKILL.md as a pipeline of one agent. */
import { compileText, type Template } from '../core/expression.js';
import type { JsonObject } from '../core/json.js';
import type { Inspection, Look, StepKind } from '../core/kind.js';
import { instructionsOf, type Plan, type Skill, type Step } from '../core/plan.js';
import { hasErrors, type Position } from '../core/problems.js';
import type { Tool } from '../core/tool.js';
import { type AllowedTools, allowedTools } from './allowed-tools.js';
import { readFrontMatter } from './front-matter.js';
import { typeOfSchema } from './infer-schema.js';
import { closedObject } from './inputs.js';
import { takeNotes } from './notes.js';
import type { PlanRead } from './pipeline.js';
import { mapOf } from './templates.js';
import { readText, sourceOf } from './text.js';
import { pairOf } from './yaml-tree.js';

const FILE_TOOLS = ['read_file', 'write_file', 'patch_file', 'list_files'];
const ANSWER: JsonObject = {
  type: 'object',
  properties: {
    summary: { type: 'string', description: 'What was done, or the answer, in Markdown.' },
    files: {
      type: 'array',
      items: { type: 'string' },
      default: [],
      description: 'Paths of the files that were written; empty if none.',
    },
  },
  required: ['summary', 'files'],
  additionalProperties: false,
};
const SAVED =
  '${{ output.summary }}\n${{ output.files.size() == 0 ? "" : "\\n- " + output.files.join("\\n- ") + "\\n" }}';

interface SkillPlanOptions {
  readonly projectDir: string;
  readonly kinds: readonly StepKind[];
  readonly tools: readonly Tool[];
  readonly roles: readonly string[];
}

export function planOfSkill(
  skill: Skill,
  options: SkillPlanOptions,
  findSkill: (name: string) => Skill | undefined,
): PlanRead {
  const file = skill.file ?? skill.dir;
  const at: Position = { file, line: 1, column: 1 };
  const notes = takeNotes();
  const kind = options.kinds.find(({ name }) => name === 'agent');
  if (!kind) {
    notes.error('no-agent', at, `The skill "${skill.name}" needs a kind of step called "agent".`);
    return { problems: notes.problems };
  }
  const instructions = instructionsOf(skill);
  const inspect = (tools: readonly string[], problem: Look['problem']): Inspection =>
    kind.inspect(
      { instructions, prompt: '${{ query }}', tools },
      {
        skillDir: skill.dir,
        projectDir: options.projectDir,
        output: ANSWER,
        artifacts: [],
        skill,
        findSkill,
        tools: options.tools,
        roles: [...new Set(['default', ...options.roles])],
        problem,
      },
    );
  const tools = usableTools(skill, options.tools, inspect, (message, { hint, place } = {}) =>
    notes.warn('allowed-tools', place ?? at, message, { hint }),
  );
  const config = mapOf([
    ['instructions', { type: 'literal', value: instructions }],
    ['prompt', builtIn('${{ query }}', file)],
    ['tools', { type: 'literal', value: tools }],
  ]);
  const inspection = inspect(tools, (_, message, hint, severity = 'error') =>
    notes[severity === 'error' ? 'error' : 'warn']('agent-config', at, message, { hint }),
  );
  const step: Step = {
    id: 'agent',
    title: skill.name,
    at,
    after: [],
    output: { json: ANSWER, source: 'inline', at },
    assert: [],
    artifacts: [],
    save: [{ path: { type: 'literal', value: 'allinone.md' }, value: builtIn(SAVED, file), at }],
    ...(kind.timeoutMs === undefined ? {} : { timeoutMs: kind.timeoutMs }),
    ...(kind.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: kind.idleTimeoutMs }),
    retry: { attempts: 1, backoffMs: 1_000 },
    onError: 'fail',
    effect: 'repeatable',
    cache: true,
    limits: {},
    body: { type: 'leaf', kind, config, inspection },
  };
  if (hasErrors(notes.problems)) return { problems: notes.problems };
  return {
    plan: planAround(step, skill, file),
    resultType: () => typeOfSchema(ANSWER),
    size: { steps: 1, levels: 1 },
    problems: notes.problems,
  };
}

function planAround(step: Step, skill: Skill, file: string): Plan {
  return {
    name: skill.name,
    description: skill.description ?? '',
    file,
    dir: skill.dir,
    skill,
    inputs: closedObject({}, []),
    models: [],
    limits: { tokens: 2_000_000, timeMs: 2 * 3_600_000, maxParallel: 4 },
    ownLimits: {},
    permissions: { read: [], write: [], env: [], network: false },
    onFailure: 'continue',
    acceptPartial: false,
    steps: [step],
    result: builtIn('${{ steps.agent.output }}', file),
    skillDirs: {},
  };
}

type Warn = (
  message: string,
  more?: { readonly hint?: string | undefined; readonly place?: Position | undefined },
) => void;

/** The file tools, narrowed by `allowed-tools`; what it names beyond them only if this program has it and can use its rule. */
function usableTools(
  skill: Skill,
  tools: readonly Tool[],
  inspect: (tools: readonly string[], problem: Look['problem']) => unknown,
  warn: Warn,
): string[] {
  const { allowedTools } = skill;
  if (!allowedTools) return FILE_TOOLS;
  const known = new Set([...FILE_TOOLS, ...tools.map(({ spec }) => spec.name)]);
  const isKnown = (tool: string) => known.has(tool.replace(/\(.*\)$/s, ''));
  const missing = allowedTools.filter((tool) => !isKnown(tool));
  const here = allowedTools.filter(isKnown);
  const unusable = new Map<string, { readonly message: string; readonly hint?: string | undefined }>();
  inspect(here, ([key, index], message, hint, severity) => {
    const tool = key === 'tools' ? here[Number(index)] : undefined;
    if (tool !== undefined && severity !== 'warning') unusable.set(tool, { message, hint });
  });
  const left = here.filter((tool) => !unusable.has(tool));
  if (missing.length === 0 && unusable.size === 0) return left;
  const rest = left.length === 0 ? ' The skill has no tools left.' : '';
  const { written, at: place } = writtenTools(skill) ?? {};
  const word = (tool: string) => `"${written?.get(tool) ?? tool}"`;
  if (missing.length > 0) warn(`This version has no tool ${missing.map(word).join(', ')}: left out.${rest}`, { place });
  for (const [tool, { message, hint }] of unusable) {
    warn(`${word(tool)} is left out: ${message.replace(/^The rule/, 'the rule')}${rest}`, { place, hint });
  }
  return left;
}

/** Where a SKILL.md names its tools, and how: by their names here. */
function writtenTools({ file, dir }: Skill): (Pick<AllowedTools, 'written'> & { readonly at: Position }) | undefined {
  const read = file === undefined ? undefined : readText(file, [dir]);
  const fields = read?.type === 'text' ? readFrontMatter(read.source).fields : undefined;
  const node = fields && pairOf(fields, 'allowed-tools')?.value;
  const allowed = node && allowedTools(node);
  return allowed && { written: allowed.written, at: node.at };
}

/** A template of ours, which is right. */
function builtIn(text: string, file: string): Template {
  const compiled = compileText(text, sourceOf(file, text).position);
  if ('problems' in compiled) throw new Error(compiled.problems[0]?.message);
  return compiled.template;
}
