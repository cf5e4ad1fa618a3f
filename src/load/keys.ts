/** The keys of a pipeline file, with the names that people write for them. */
import type { Aliases } from './fields.js';

export const TOP_KEYS = [
  'version',
  'name',
  'description',
  'inputs',
  'models',
  'limits',
  'permissions',
  'on_failure',
  'accept_partial',
  'steps',
  'result',
];

export const DRIVER_KEYS = [
  'terminal_signals',
  'supports_query_injection',
  'query_injection_placeholder',
  'ood_detection',
  'run_dir_template',
  'log_file',
  'max_steps',
  'next',
];

const driverKey = { hint: 'It belongs to the next-loop driver, which runs only where there are no "steps".' };

export const TOP_ALIASES: Aliases = {
  title: { key: 'name' },
  summary: { key: 'description' },
  params: { key: 'inputs' },
  parameters: { key: 'inputs' },
  args: { key: 'inputs' },
  jobs: { key: 'steps' },
  tasks: { key: 'steps' },
  stages: { key: 'steps' },
  nodes: { key: 'steps' },
  output: { key: 'result' },
  outputs: { key: 'result' },
  limit: { key: 'limits' },
  budget: { key: 'limits' },
  on_error: { key: 'on_failure' },
  env: { hint: 'Name the variables that processes may see under permissions: { env: [NAME] }.' },
  model: { hint: 'Models are configured in pipeline.config.yaml; a step chooses one by agent: { model: … }.' },
  max_parallel: { hint: 'It stands under limits: { max_parallel: … }.' },
  timeout: { hint: 'The time of a whole run stands under limits: { time: … }.' },
  tokens: { hint: 'It stands under limits: { tokens: … }.' },
  ...Object.fromEntries(DRIVER_KEYS.map((key) => [key, driverKey])),
};

/** Keys that every step may have, beside the one that says its kind. */
export const STEP_KEYS = [
  'id',
  'title',
  'needs',
  'when',
  'foreach',
  'max_items',
  'max_parallel',
  'min_success',
  'repeat',
  'output',
  'assert',
  'artifacts',
  'save',
  'timeout',
  'idle_timeout',
  'retry',
  'limits',
  'on_error',
  'effect',
  'cache',
  'result',
];

const under = (kind: string, key: string): { hint: string } => ({ hint: `It stands under ${kind}: { ${key}: … }.` });
const script = { hint: 'A process is written as shell: { run: … } or shell: { command: [program, argument] }.' };
const limit = (key: string): { hint: string } => ({ hint: `It stands under limits: { ${key}: … }.` });
const later = { hint: 'This version has no such kind of step.' };

export const STEP_ALIASES: Aliases = {
  if: { key: 'when' },
  condition: { key: 'when' },
  depends: { key: 'needs' },
  depends_on: { key: 'needs' },
  dependsOn: { key: 'needs' },
  requires: { key: 'needs' },
  after: { key: 'needs' },
  name: { key: 'title' },
  label: { key: 'title' },
  loop: { key: 'foreach' },
  for_each: { key: 'foreach' },
  forEach: { key: 'foreach' },
  for: { key: 'foreach' },
  each: { key: 'foreach' },
  with_items: { key: 'foreach' },
  matrix: { key: 'foreach' },
  retries: { key: 'retry' },
  concurrency: { key: 'max_parallel' },
  parallel: { key: 'max_parallel' },
  schema: { key: 'output' },
  outputs: { key: 'output' },
  output_schema: { key: 'output' },
  asserts: { key: 'assert' },
  checks: { key: 'assert' },
  validate: { key: 'assert' },
  on_failure: { key: 'on_error' },
  group: { key: 'steps' },
  until: { hint: 'It stands under repeat: { until: …, max: … }.' },
  while: { hint: 'Repeating is written as repeat: { until: …, max: … }.' },
  continue_on_error: { hint: 'Write on_error: continue.' },
  cmd: script,
  command: script,
  script: script,
  bash: script,
  run: script,
  sh: script,
  exec: script,
  env: under('shell', 'env'),
  stdin: under('shell', 'stdin'),
  prompt: under('agent', 'prompt'),
  instructions: under('agent', 'instructions'),
  system: under('agent', 'instructions'),
  tools: under('agent', 'tools'),
  model: under('agent', 'model'),
  max_rounds: under('agent', 'max_rounds'),
  llm: { key: 'agent' },
  with: under('pipeline', 'inputs'),
  inputs: under('pipeline', 'inputs'),
  uses: { key: 'pipeline' },
  skill: under('pipeline', 'skill'),
  tokens: limit('tokens'),
  usd: limit('usd'),
  time: limit('time'),
  gate: later,
  pipeline: later,
  approve: { key: 'gate' },
  approval: { key: 'gate' },
  stop: { key: 'end' },
  exit: { key: 'end' },
};

/** Aliases inside of a kind's own mapping. */
export const KIND_ALIASES: Readonly<Record<string, Aliases>> = {
  agent: {
    system: { key: 'instructions' },
    system_prompt: { key: 'instructions' },
    user: { key: 'prompt' },
    input: { key: 'prompt' },
    task: { key: 'prompt' },
    max_turns: { key: 'max_rounds' },
    max_steps: { key: 'max_rounds' },
    tool: { key: 'tools' },
    allowed_tools: { key: 'tools' },
    tools_allowlist: { key: 'tools' },
    output: { hint: 'It stands beside "agent", not inside of it.' },
    timeout: { hint: 'It stands beside "agent", not inside of it.' },
  },
  shell: {
    script: { key: 'run' },
    bash: { key: 'run' },
    cmd: { key: 'command' },
    argv: { key: 'command' },
    input: { key: 'stdin' },
    environment: { key: 'env' },
    working_directory: { key: 'cwd' },
    dir: { key: 'cwd' },
    timeout: { hint: 'It stands beside "shell", not inside of it.' },
    output: { hint: 'It stands beside "shell", not inside of it.' },
  },
  end: { reason: { key: 'message' }, code: { key: 'outcome' }, name: { key: 'outcome' } },
  pipeline: { name: { key: 'skill' }, uses: { key: 'skill' }, with: { key: 'inputs' }, args: { key: 'inputs' } },
  gate: { question: { key: 'ask' }, message: { key: 'ask' }, options: { key: 'choices' } },
};

/** Words of CEL: a step of such a name could not be referred to. */
export const CEL_WORDS: ReadonlySet<string> = new Set(
  `true false null in as break const continue else for function if import let loop package namespace return var void while`.split(
    ' ',
  ),
);
