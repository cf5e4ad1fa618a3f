/** The spans of a run by OpenTelemetry's conventions for generative AI, made from the events with their times; no content is in them. */
import type { Attributes, Context, Span, SpanKind, Tracer } from '@opentelemetry/api';
import type { Recorded, Sink } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { StepPath } from '../core/outcome.js';
import { idsOf } from '../core/step-path.js';

/** What of OpenTelemetry the spans are made with. */
export interface Tracing {
  readonly tracer: Tracer;
  /** What the run's own span stands below. */
  readonly parent: Context;
  contextOf(span: Span): Context;
  /** Sends what is left, for a bounded time. */
  close(): Promise<void>;
}

/** `SpanKind` and `SpanStatusCode` of the API, which is not loaded unless it is asked for. */
const INTERNAL: SpanKind = 0;
const CLIENT: SpanKind = 2;
const ERROR = 2;

interface OpenStep {
  readonly span: Span;
  readonly context: Context;
  readonly path: StepPath;
  isAgent: boolean;
  /** When the next call of its model can have begun, at the earliest. */
  readyMs: number;
  /** The first tool of the round that is going on began then: its reply was there. */
  toolsMs: number | undefined;
  input: number;
  output: number;
  model: string | undefined;
}

/** @param skill told when the first event has come */
export function otelSink(tracing: Tracing, skill: () => string): Sink {
  const { tracer } = tracing;
  const open = new Map<StepPath, OpenStep>();
  let root: { readonly span: Span; readonly context: Context } | undefined;
  let lastMs = 0;
  let runModel: string | undefined;

  function begin(name: string, startMs: number, parent: Context, attributes: Attributes, kind = INTERNAL): Span {
    return tracer.startSpan(name, { kind, startTime: new Date(startMs), attributes }, parent);
  }

  function rootAt(ms: number) {
    if (root) return root;
    const name = skill();
    const attributes = { 'gen_ai.operation.name': 'invoke_workflow', 'gen_ai.workflow.name': name };
    const span = begin(`invoke_workflow ${name}`, ms, tracing.parent, attributes);
    root = { span, context: tracing.contextOf(span) };
    return root;
  }

  /** Of the nearest step around it that has one. */
  function contextAround(path: StepPath, ms: number): Context {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const around = open.get(path.slice(0, cut));
      if (around) return around.context;
    }
    return rootAt(ms).context;
  }

  function beginStep(path: StepPath, ms: number, more: Attributes): OpenStep {
    const known = open.get(path);
    if (known) endStep(known, ms, undefined);
    const span = begin(`step ${idsOf(path)}`, ms, contextAround(path, ms), { 'pipeline.step.path': path, ...more });
    const step = {
      span,
      context: tracing.contextOf(span),
      path,
      isAgent: false,
      readyMs: ms,
      toolsMs: undefined,
      input: 0,
      output: 0,
      model: undefined,
    };
    open.set(path, step);
    return step;
  }

  /** A step that asks a model is an agent; what else it is, no event says. */
  function asAgent(path: StepPath, ms: number): OpenStep {
    const step = open.get(path) ?? beginStep(path, ms, {});
    if (step.isAgent) return step;
    step.isAgent = true;
    const name = idsOf(path);
    step.span.updateName(`invoke_agent ${name}`);
    step.span.setAttributes({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name });
    return step;
  }

  function endStep(step: OpenStep, ms: number, fault: FaultData | undefined): void {
    if (fault && /^(provider|agent)\./.test(fault.code)) asAgent(step.path, ms);
    open.delete(step.path);
    const { span, input, output, model = runModel } = step;
    if (step.isAgent) span.setAttributes({ ...modelAttributes(model), ...usageAttributes({ input, output }) });
    if (fault) fail(span, fault.code);
    span.end(new Date(ms));
  }

  function chat(step: OpenStep, from: number, to: number, label: string | undefined, more: Attributes, fault?: string) {
    const known = modelAttributes(label);
    const name = ['chat', known['gen_ai.request.model'] ?? []].flat().join(' ');
    const attributes = { 'gen_ai.operation.name': 'chat', ...known, ...more };
    const span = begin(name, from, step.context, attributes, CLIENT);
    if (fault !== undefined) fail(span, fault);
    span.end(new Date(Math.max(from, to)));
  }

  function write(event: Recorded): void {
    const ms = Date.parse(event.at);
    lastMs = ms;
    switch (event.type) {
      case 'run_started':
        runModel = event.model;
        rootAt(ms).span.setAttributes({ 'pipeline.run.id': event.run, 'pipeline.run.slug': event.slug });
        return;
      case 'run_resumed':
        runModel = event.model;
        rootAt(ms).span.setAttribute('pipeline.run.resumed', true);
        return;
      case 'step_started':
        beginStep(event.path, ms, { 'pipeline.step.attempt': event.attempt });
        return;
      case 'loop':
        if (!open.has(event.path)) beginStep(event.path, ms, {});
        return;
      case 'round': {
        const step = asAgent(event.path, ms);
        const from = Math.min(ms, Math.max(ms - event.ms, step.readyMs));
        const to = Math.max(from, step.toolsMs ?? ms);
        step.model = event.model;
        step.readyMs = ms;
        step.toolsMs = undefined;
        if (event.counted) return;
        const { usage, usd } = event;
        step.input += usage?.inputTokens ?? 0;
        step.output += usage?.outputTokens ?? 0;
        const used = usage ? usageAttributes({ input: usage.inputTokens, output: usage.outputTokens }) : {};
        const cached = usage?.cachedTokens ? { 'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens } : {};
        const cost = usd === undefined ? {} : { 'pipeline.cost.usd': usd };
        chat(step, from, to, event.model, { ...used, ...cached, ...cost, 'pipeline.round': event.round });
        return;
      }
      case 'call_retry': {
        const step = asAgent(event.path, ms);
        chat(step, step.readyMs, ms, step.model ?? runModel, {}, event.fault.code);
        step.readyMs = ms + event.waitMs;
        return;
      }
      case 'call_lost': {
        const step = asAgent(event.path, ms);
        chat(step, Math.min(step.readyMs, ms), ms, step.model ?? runModel, {}, '_OTHER');
        step.readyMs = ms;
        return;
      }
      case 'fallback':
        asAgent(event.path, ms).model = event.to;
        return;
      case 'tool': {
        const step = asAgent(event.path, ms);
        const from = ms - event.ms;
        step.toolsMs = Math.min(step.toolsMs ?? from, from);
        const attributes = {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': event.name,
          'gen_ai.tool.type': 'function',
          'pipeline.round': event.round,
        };
        const span = begin(`execute_tool ${event.name}`, from, step.context, attributes);
        if (!event.ok) fail(span, 'tool_error');
        span.end(new Date(ms));
        return;
      }
      case 'step_retry':
      case 'step_failed':
      case 'step_stopped': {
        const step = open.get(event.path) ?? beginStep(event.path, ms, {});
        endStep(step, ms, event.fault);
        return;
      }
      case 'step_done':
      case 'step_ended':
      case 'step_waiting':
      case 'step_skipped': {
        const step = open.get(event.path);
        if (step) endStep(step, ms, undefined);
        return;
      }
      case 'run_ended': {
        endAll(ms);
        const { span } = rootAt(ms);
        span.setAttributes({ 'pipeline.run.status': event.status, 'pipeline.run.outcome': event.outcome });
        if (event.fault) fail(span, event.fault.code);
        else if (event.status === 'failed') fail(span, '_OTHER');
        span.end(new Date(ms));
        root = undefined;
        return;
      }
      default:
        return;
    }
  }

  /** What is cut off, the innermost first. */
  function endAll(ms: number): void {
    for (const step of [...open.values()].reverse()) endStep(step, ms, undefined);
  }

  return {
    write,
    async close() {
      endAll(lastMs);
      root?.span.end(new Date(lastMs));
      await tracing.close();
    },
  };
}

function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  // Without a message: it may hold what a model said.
  span.setStatus({ code: ERROR });
}

/** @param label `provider/model-id`, or the name of an embedded one */
function modelAttributes(label: string | undefined): Attributes {
  if (label === undefined || label === '') return {};
  const cut = label.indexOf('/');
  const [provider, model] = cut < 0 ? [label, label] : [label.slice(0, cut), label.slice(cut + 1)];
  return { 'gen_ai.provider.name': provider, 'gen_ai.request.model': model };
}

function usageAttributes({ input, output }: { readonly input: number; readonly output: number }): Attributes {
  return { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output };
}
