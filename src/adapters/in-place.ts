/** Adapters of a program in the place of agents of a plan. */
import { hasUsdLimit } from '../core/asked-models.js';
import type { StepContext } from '../core/context.js';
import { Fault, toFault } from '../core/faults.js';
import { type Json, parseJson } from '../core/json.js';
import type { Inspection, KindResult, StepKind } from '../core/kind.js';
import { kindOf, type LeafBody, type Plan, type Step } from '../core/plan.js';
import { wrapForTool } from '../core/schema.js';
import { briefOf, readsOf } from '../steps/agent-brief.js';
import type { AgentConfig } from '../steps/agent-config.js';
import type { AdapterFn } from './role.js';

/** By the ids of a step from the outermost: `rounds/audit`. */
export type Adapters = ReadonlyMap<string, AdapterFn>;

/** Throws a Fault for a step that is no agent, and where a limit in usd cannot count what an adapter costs. */
export function withAdapters(plan: Plan, adapters: Adapters): Plan {
  const [first] = adapters.keys();
  if (first !== undefined && hasUsdLimit(plan)) {
    throw new Fault(
      'config.invalid',
      `"${plan.name}" has a limit in usd, and what the adapter of step "${first}" costs is not known`,
      {
        hint: 'Use limits.tokens instead: what an adapter of the library uses is counted.',
      },
    );
  }
  return { ...plan, steps: adapted(plan.steps, '', adapters) };
}

function adapted(steps: readonly Step[], start: string, adapters: Adapters): Step[] {
  return steps.map((step) => ({ ...step, body: bodyOf(step, `${start}${step.id}`, adapters) }));
}

function bodyOf(step: Step, ids: string, adapters: Adapters): Step['body'] {
  const { body } = step;
  const adapter = adapters.get(ids);
  if (adapter) return leafOf(step, ids, adapter);
  switch (body.type) {
    case 'leaf':
      return body;
    case 'group':
      return { ...body, steps: adapted(body.steps, `${ids}/`, adapters) };
    case 'child':
      return { ...body, plan: { ...body.plan, steps: adapted(body.plan.steps, `${ids}/`, adapters) } };
  }
}

function leafOf(step: Step, ids: string, adapter: AdapterFn): LeafBody {
  const { body } = step;
  if (body.type !== 'leaf' || body.kind.name !== 'agent') {
    throw new Fault(
      'input.invalid',
      `step "${ids}" is of kind \`${kindOf(step)}\`, and an adapter does the work of an \`agent\``,
    );
  }
  const kind: StepKind = { ...body.kind, run: (config, context) => perform(adapter, config as AgentConfig, context) };
  const { files } = body.inspection;
  // What the file says of model and tools is not used; what the adapter uses instead nobody can look at.
  const inspection: Inspection = { files, tools: [], models: [], maxCalls: 0, startsProcess: false };
  return { ...body, kind, inspection };
}

async function perform(adapter: AdapterFn, config: AgentConfig, context: StepContext): Promise<KindResult> {
  const { parameters, unwrap } = wrapForTool(context.step.output?.json ?? true);
  const { system, prompt, images, reads, written } = briefOf(config, (instructions) => instructions, 'shown', context);
  const { output } = context.step;
  const inside: StepContext = {
    ...context,
    step: output ? { ...context.step, output: { ...output, json: parameters } } : context.step,
    judge: (value) => context.judge(unwrap(value)),
  };
  const thread = images.length === 0 ? prompt : ([{ role: 'user', text: prompt, images }] as const);
  try {
    // One that answers at once may fail later, too.
    const role = await adapter(system, parameters);
    if (typeof role !== 'function') throw noRole();
    const seen = [...reads];
    const { signal, clock } = context;
    const given = await role(thread, { step: inside, signal, clock, onReads: (more) => void seen.push(...more) });
    return { type: 'output', value: unwrap(asJson(given)), reads: readsOf(seen, context) };
  } catch (error) {
    throw context.signal.aborted ? error : failed(error);
  } finally {
    await written;
  }
}

function noRole(): Fault {
  return new Fault('step.output', 'the adapter of the program gives no function', {
    hint: 'An adapter is called twice: (instructions, schema) => async (thread, call) => value.',
  });
}

/** What a program throws is no bug of ours. */
function failed(error: unknown): unknown {
  if (toFault(error).code !== 'internal.bug') return error;
  const said = error instanceof Error ? error.message : String(error);
  return new Fault('step.output', `the adapter of the program failed: ${said}`, {}, { cause: error });
}

/** What a program gives may be anything: it is kept as its JSON. */
function asJson(given: unknown): Json {
  return parseJson(JSON.stringify(given) ?? 'null');
}
