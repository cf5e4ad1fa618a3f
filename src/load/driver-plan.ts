/** A skill that its scripts/run.* drives as a pipeline: ask the script, do what it says, until it has come to an end. */
import path from 'node:path';
import { compileCondition, compileText, type Expression, type Template } from '../core/expression.js';
import type { Json } from '../core/json.js';
import type { StepKind } from '../core/kind.js';
import type { Plan, Step } from '../core/plan.js';
import { hasErrors, type Position } from '../core/problems.js';
import { HAS_COMMAND, IS_FOR_SUBAGENT } from '../core/reasons.js';
import { NO_SIGNALS } from '../core/terminal-signals.js';
import { counted } from '../core/words.js';
import type { PipelineReading } from './draft.js';
import { type DriverFile, MAX_ROUNDS, readDriverFile } from './driver-file.js';
import { typeOfSchema } from './infer-schema.js';
import { checkDefaults, closedObject } from './inputs.js';
import { takeNotes } from './notes.js';
import type { PipelineOptions, PlanRead } from './pipeline.js';
import { checkSchema } from './schema-file.js';
import { nextScript, PIPELINE_FILE } from './skill-mode.js';
import { mapOf } from './templates.js';
import { type Source, sourceOf } from './text.js';
import { parseYaml } from './yaml-text.js';
import { pairOf } from './yaml-tree.js';

const INTERPRETERS: Readonly<Record<string, readonly string[]>> = {
  '.py': ['python3'],
  '.mjs': ['node'],
  '.js': ['node'],
  '.sh': ['bash'],
};

export interface DriverOptions extends PipelineOptions {
  /** The kinds that only the driver's steps have: next, subagent, command, ending. */
  readonly driver: readonly StepKind[];
}

/** @param source its pipeline.yaml, if it has one */
export async function planOfDriver(source: Source | undefined, options: DriverOptions): Promise<PlanRead> {
  const { skill } = options;
  const notes = takeNotes();
  const file = source?.file ?? skill.file ?? skill.dir;
  const at: Position = { file, line: 1, column: 1 };
  const script = nextScript(skill.dir);
  if (script === undefined) {
    notes.error('next-loop', at, `The skill "${skill.name}" has no scripts/run.*.`);
    return { problems: notes.problems };
  }
  if (options.driver.length === 0) {
    notes.error(
      'next-loop',
      at,
      `The skill "${skill.name}" is driven by its scripts/run.*, which cannot be done here.`,
    );
    return { problems: notes.problems };
  }
  const told = source ? await readTold(source, options, notes) : NOTHING_TOLD;
  if (!told || hasErrors(notes.problems)) return { problems: notes.problems };
  const build = stepsOf(script, told, options);
  const plan: Plan = {
    name: told.name ?? skill.name,
    description: told.description ?? skill.description ?? '',
    file,
    dir: skill.dir,
    skill,
    inputs: told.inputs,
    models: [],
    limits: { tokens: 2_000_000, timeMs: 2 * 3_600_000, maxParallel: 4, ...told.limits },
    ownLimits: told.limits,
    permissions: told.permissions,
    onFailure: 'continue',
    acceptPartial: false,
    steps: build,
    result: text('${{ steps.ending.output }}', at),
    skillDirs: {},
    driven: true,
    ...(told.logFile === undefined ? {} : { logFile: told.logFile }),
  };
  return {
    plan,
    resultType: () => typeOfSchema({ type: 'string' }),
    size: { steps: 5, levels: 1 },
    problems: notes.problems,
  };
}

const NOTHING_TOLD: DriverFile = {
  inputs: closedObject({}, []),
  limits: {},
  permissions: { read: [], write: [], env: [], network: false },
  signals: NO_SIGNALS,
  placeholder: '',
  ood: false,
  maxSteps: MAX_ROUNDS,
  below: '',
};

async function readTold(
  source: Source,
  options: DriverOptions,
  notes: ReturnType<typeof takeNotes>,
): Promise<DriverFile | undefined> {
  const { root, problems } = parseYaml(source);
  notes.problems.push(...problems);
  // An empty file tells nothing.
  if (!root) return problems.length === 0 ? NOTHING_TOLD : undefined;
  const reading: PipelineReading = {
    ...options,
    source,
    notes,
    file: source.file,
    dir: path.dirname(source.file),
    stepIds: [],
    schemas: [],
    schemaFiles: new Map(),
    loadChild: async () => ({}),
  };
  const told = readDriverFile(root, reading);
  for (const schema of reading.schemas) await checkSchema(schema, notes);
  if (told && !hasErrors(notes.problems))
    await checkDefaults(told.inputs, root.type === 'map' ? pairOf(root, 'inputs') : undefined, reading);
  return told;
}

function stepsOf(script: string, told: DriverFile, options: DriverOptions): Step[] {
  const at: Position = { file: script, line: 1, column: 1 };
  const kindNamed = (name: string): StepKind => {
    const kind = options.driver.find((one) => one.name === name);
    if (!kind) throw new Error(`the driver has no kind ${name}`);
    return kind;
  };
  const leaf = (id: string, kindName: string, config: Template, more: Partial<Step> = {}): Step => {
    const kind = kindNamed(kindName);
    const inspection = kind.inspect(
      {},
      { ...options, skillDir: options.skill.dir, output: undefined, artifacts: [], problem: () => undefined },
    );
    return {
      ...plain(id, at),
      ...(kind.timeoutMs === undefined ? {} : { timeoutMs: kind.timeoutMs }),
      body: { type: 'leaf', kind, config, inspection },
      ...more,
    };
  };
  const interpreter = INTERPRETERS[path.extname(script)] ?? [];
  const args =
    told.next ??
    ['next', '--dir', `\${{ run.dir }}${told.below === '' ? '' : `/${told.below}`}`, '--query', '${{ query }}'].map(
      (each) => text(each, at),
    );
  const command: Template = { type: 'list', items: [...[...interpreter, script].map(literal), ...args] };
  const before = text('${{ previous }}', at);
  const iteration = text('${{ iteration }}', at);
  const block = text('${{ steps.next.output.block }}', at);
  const rounds: Step = {
    ...plain('rounds', at),
    repeat: {
      until: condition('output.stop != null', at, SCRIPT_ENDS),
      max: told.maxSteps,
      onMax: 'fail',
      tooMany: {
        message: `the script asked for more than ${counted(told.maxSteps, 'step')} (max_steps)`,
        hint: `Raise max_steps in ${fileFor(options)}.`,
      },
    },
    body: {
      type: 'group',
      steps: [
        leaf(
          'next',
          'next',
          mapOf([
            ['command', command],
            ['signals', literal(told.signals)],
            ['before', before],
            ['iteration', iteration],
          ]),
        ),
        leaf(
          'subagent',
          'subagent',
          mapOf([
            ['block', block],
            ['iteration', iteration],
            ['ood', literal(told.ood)],
          ]),
          {
            after: ['next'],
            when: condition(
              'steps.next.output.stop == null && steps.next.output.block.type == "llm_subagent"',
              at,
              IS_FOR_SUBAGENT,
            ),
          },
        ),
        leaf(
          'command',
          'command',
          mapOf([
            ['block', block],
            ['iteration', iteration],
            ['placeholder', literal(told.placeholder)],
            ['queries', text(`\${{ ${QUERIES} }}`, at)],
          ]),
          {
            after: ['next', 'subagent'],
            when: condition(
              `steps.next.output.stop == null && steps.next.output.block.run != "" && ${NOT_OOD}`,
              at,
              HAS_COMMAND,
            ),
          },
        ),
      ],
      result: mapOf([
        ['next', text('${{ steps.next.output }}', at)],
        ['queries', text(`\${{ ${QUERIES} }}`, at)],
        ['stop', text(`\${{ ${NOT_OOD} ? steps.next.output.stop : steps.subagent.output.stop }}`, at)],
      ]),
    },
  };
  const stop = text('${{ steps.rounds.output.stop }}', at);
  return [rounds, leaf('ending', 'ending', mapOf([['stop', stop]]), { after: ['rounds'] })];
}

/** Where what the driver is told is written. */
function fileFor({ skill, projectDir }: DriverOptions): string {
  const file = path.relative(projectDir, path.join(skill.dir, PIPELINE_FILE));
  return file.startsWith('..') ? `the ${PIPELINE_FILE} of the skill` : file.split(path.sep).join('/');
}

const SCRIPT_ENDS = 'the script says that it has ended';
const NOT_OOD = '(steps.subagent.status != "done" || steps.subagent.output.stop == null)';
/** Of this round's sub-agent, else those that were known before. */
const QUERIES =
  'steps.subagent.status == "done" && steps.subagent.output.queries != "" ? steps.subagent.output.queries : (previous == null ? "" : previous.queries)';

function plain(id: string, at: Position): Omit<Step, 'body'> {
  return {
    id,
    title: id,
    at,
    after: [],
    assert: [],
    artifacts: [],
    save: [],
    retry: { attempts: 1, backoffMs: 1_000 },
    onError: 'fail',
    effect: 'repeatable',
    cache: true,
    limits: {},
  };
}

const literal = (value: Json): Template => ({ type: 'literal', value });

/** Of ours, which is right. */
function text(source: string, { file }: Position): Template {
  const compiled = compileText(source, sourceOf(file, source).position);
  if ('problems' in compiled) throw new Error(compiled.problems[0]?.message);
  return compiled.template;
}

/** @param said what people read in its place */
function condition(source: string, { file }: Position, said = source): Expression {
  const compiled = compileCondition(source, sourceOf(file, source).position);
  if ('problems' in compiled) throw new Error(compiled.problems[0]?.message);
  return { ...compiled.expression, source: said };
}
