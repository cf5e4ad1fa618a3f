/** A sub-agent: instructions, a prompt, an allow-list of tools; its answer is what it calls `resolve` with. */
import fs from 'node:fs';
import { join, relative, sep } from 'node:path';
import { runAgent } from '../agent/loop.js';
import { systemText } from '../agent/prompt.js';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Json, JsonObject } from '../core/json.js';
import type { FileRead, Inspection, KindResult, Look, StepKind } from '../core/kind.js';
import type { ChosenModel } from '../core/model.js';
import { wrapForTool } from '../core/schema.js';
import { toolsFor } from '../tools/registry.js';
import { resolveTool } from '../tools/resolve.js';
import { addFiles } from './agent-files.js';
import { checkGrants } from './agent-tools.js';

interface AgentConfig extends JsonObject {
  readonly instructions?: string;
  readonly skill?: string;
  readonly prompt: string;
  readonly tools?: readonly string[];
  readonly files?: readonly string[];
  readonly model?: string;
  readonly max_rounds?: number;
  readonly dead_loop_window?: number;
}

const MAX_ROUNDS = 40;
const DEAD_LOOP_WINDOW = 3;
const IDLE_TIMEOUT_MS = 2 * 60_000;
/** Sampling parameters go to the model as they are. */
const SAMPLING = [
  'temperature',
  'top_p',
  'max_tokens',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'reasoning_effort',
] as const;

export const agent: StepKind = {
  name: 'agent',
  schema: {
    type: 'object',
    description:
      'A sub-agent with a history of its own; it ends by calling `resolve` with an answer that matches `output`.',
    properties: {
      instructions: {
        type: 'string',
        description: 'Who it is and what to do: a file (.md, .txt) or text. Never templated.',
      },
      skill: { type: 'string', description: 'A skill whose SKILL.md body is the instructions.' },
      prompt: { type: 'string', description: 'What it is given: text, or a file (.md, .txt); may hold ${{ }}.' },
      tools: { type: 'array', items: { type: 'string' }, description: 'The tools it may call; none unless listed.' },
      files: {
        type: 'array',
        items: { type: 'string' },
        description: 'Text files of the run or the skill folder that are added to the prompt, 256 KB of each.',
      },
      model: { type: 'string', description: 'A role (`default`, `judge`) or `provider/model-id`.' },
      max_rounds: { type: 'integer', minimum: 1, maximum: 10000, description: 'Model calls at most (40).' },
      dead_loop_window: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        description: 'Equal rounds that stop it (3); 0 switches the guard off.',
      },
      adapter: { enum: ['react'], description: 'How the model is driven: react, a loop with tools.' },
      temperature: { type: 'number', minimum: 0, maximum: 2, description: 'Sampling temperature.' },
      top_p: { type: 'number', minimum: 0, maximum: 1, description: 'Nucleus sampling.' },
      max_tokens: { type: 'integer', minimum: 1, description: 'Longest answer of one call, in tokens.' },
      seed: { type: 'integer', description: 'Sampling seed, where the provider has one.' },
      frequency_penalty: { type: 'number', minimum: -2, maximum: 2, description: 'As the provider defines it.' },
      presence_penalty: { type: 'number', minimum: -2, maximum: 2, description: 'As the provider defines it.' },
      reasoning_effort: { enum: ['minimal', 'low', 'medium', 'high'], description: 'For models that reason.' },
    },
    required: ['prompt'],
    additionalProperties: false,
  },
  verbatim: ['instructions', 'skill', 'tools', 'adapter'],
  textFiles: ['instructions', 'prompt'],
  unkeyed: ['max_rounds'],
  timeoutMs: 10 * 60_000,
  idleTimeoutMs: IDLE_TIMEOUT_MS,
  output: 'required',
  fence: false,
  continues: true,
  inspect(config, look) {
    return inspectAgent(config as AgentConfig, look);
  },
  async run(config, context): Promise<KindResult> {
    const { step, folders } = context;
    const given = config as AgentConfig;
    const role = given.model ?? 'default';
    const picked = await context.models.pick(role);
    const model = withOwnParameters(picked, given);
    refusePlaceholderFiles(model, context);
    const schema = wrapForTool(step.output?.json ?? true);
    const tools = toolsFor(given.tools ?? [], context.tools);
    const files = addFiles(given.files ?? [], [folders.run, folders.skill]);
    const prompt = `${given.prompt}${files.text}`;
    const system = systemText(instructionsOf(given, context), step.artifacts);
    fs.writeFileSync(join(folders.step, 'prompt.md'), `${system}\n\n---\n\n${prompt}\n`, { mode: 0o600 });
    const accept = async (args: JsonObject) => {
      const value = schema.unwrap(args);
      const complaints = await context.judge(value);
      return complaints.length === 0 ? { value } : { complaints };
    };
    const answer = await runAgent(
      {
        system,
        prompt,
        tools,
        resolve: resolveTool(schema.parameters, accept),
        model,
        role,
        roleParameters: picked.parameters,
        maxRounds: given.max_rounds ?? MAX_ROUNDS,
        deadLoopWindow: given.dead_loop_window ?? DEAD_LOOP_WINDOW,
        idleTimeoutMs: step.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
        key: context.stepKey,
        transcript: join(folders.step, 'transcript.ndjson'),
      },
      context,
    );
    return { type: 'output', value: answer.value, reads: readsOf([...files.reads, ...answer.reads], context) };
  },
};

function inspectAgent(config: AgentConfig, look: Look): Inspection {
  if (config.instructions !== undefined && config.skill !== undefined) {
    look.problem(['skill'], '`instructions` and `skill` exclude each other', 'Keep one of the two.');
  }
  const skill = config.skill === undefined ? undefined : look.findSkill(config.skill);
  if (config.skill !== undefined && !skill) look.problem(['skill'], `there is no skill "${config.skill}"`);
  checkGrants(config.tools ?? [], skill, look);
  return {
    files: skill?.file ? [skill.file] : [],
    tools: config.tools ?? [],
    models: [config.model ?? 'default'],
    maxCalls: config.max_rounds ?? MAX_ROUNDS,
    startsProcess: false,
  };
}

/** The sketch calls no tool that writes: a step that must leave files would end only after many rounds. */
function refusePlaceholderFiles(model: ChosenModel, { step }: StepContext): void {
  if (!model.placeholder || step.artifacts.length === 0) return;
  throw new Fault(
    'provider.refused',
    `step "${step.id}" must leave files (${step.artifacts.join(', ')}), and sketch, the stand-in for a model, writes none`,
    { hint: 'Run it with a language model: --model provider/model-id; or save the output with `save` instead.' },
  );
}

function withOwnParameters(chosen: ChosenModel, config: AgentConfig): ChosenModel {
  const own: Record<string, Json> = {};
  for (const name of SAMPLING) if (config[name] !== undefined) own[name] = config[name];
  return { ...chosen, parameters: { ...chosen.parameters, ...own } };
}

function instructionsOf(config: AgentConfig, context: StepContext): string {
  if (config.skill === undefined) return config.instructions ?? '';
  const skill = context.findSkill(config.skill);
  if (!skill) throw new Fault('config.invalid', `there is no skill "${config.skill}"`);
  return skill.body;
}

/** Files of the work folder are the step's own doing, not what it depends on; input files count by their content already. */
function readsOf(
  reads: readonly { readonly file: string; readonly sha256: string }[],
  context: StepContext,
): FileRead[] {
  const { work, run, skill, project } = context.folders;
  const { readable } = context;
  const unique = new Map<string, FileRead>();
  for (const { file, sha256 } of reads) {
    if (isBelow(work, file) || readable.includes(file)) continue;
    const [from, root] = isBelow(run, file)
      ? (['run', run] as const)
      : isBelow(skill, file)
        ? (['skill', skill] as const)
        : isBelow(project, file)
          ? (['project', project] as const)
          : (['elsewhere', ''] as const);
    unique.set(file, { from, path: root === '' ? file : relative(root, file), sha256 });
  }
  return [...unique.values()];
}

function isBelow(root: string, file: string): boolean {
  return file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}
