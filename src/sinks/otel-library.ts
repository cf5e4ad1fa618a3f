/** OpenTelemetry's packages, which a person installs beside this one: loaded when spans are asked for, never before. */
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Tracing } from './otel.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The packages that are needed. */
export const OTEL_PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
];

/** How long the end of a run waits for what is left to be sent. */
const PATIENCE_MS = 3_000;

/** Whether the environment names a place for spans. */
export function asksForSpans(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/**
 * Where spans go, and with what headers, the exporter reads from the environment (`OTEL_EXPORTER_OTLP_*`).
 * @param onTrouble told once, at the end, if spans could not be sent
 * @returns undefined where the packages are not installed
 */
export async function openTracing(
  version: string,
  env: Environment,
  onTrouble: (reason: string) => void,
): Promise<Tracing | undefined> {
  const packages = await loaded();
  if (!packages) return undefined;
  const { api, sdk, otlp, resources } = packages;
  const own = { 'service.name': 'pipeline', 'service.version': version };
  const named = resources.detectResources({ detectors: [resources.envDetector] });
  let trouble: string | undefined;
  const patience = env.OTEL_EXPORTER_OTLP_TIMEOUT || env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT;
  const exporter = watched(new otlp.OTLPTraceExporter(patience ? {} : { timeoutMillis: PATIENCE_MS }), (reason) => {
    trouble ??= reason;
  });
  const provider = new sdk.NodeTracerProvider({
    resource: resources.resourceFromAttributes(own).merge(named),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  return {
    tracer: provider.getTracer('pipeline', version),
    parent: parentIn(env, api),
    contextOf: (span) => api.trace.setSpan(api.ROOT_CONTEXT, span),
    async close() {
      const isSent = await within(provider.shutdown(), PATIENCE_MS);
      if (!isSent) trouble ??= `nothing was answered within ${PATIENCE_MS / 1_000} s`;
      if (trouble !== undefined) onTrouble(trouble);
    },
  };
}

/** They are CommonJS: what a bundle makes of them has their names, or only `default`. */
async function loaded() {
  try {
    const [api, sdk, otlp, resources] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    return { api: namesOf(api), sdk: namesOf(sdk), otlp: namesOf(otlp), resources: namesOf(resources) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function namesOf<T extends object>(module: T): T {
  return 'default' in module ? ((module.default as T | undefined) ?? module) : module;
}

/** What is wrong with the sending is nobody's business while the run goes on. */
function watched(exporter: SpanExporter, onFailure: (reason: string) => void): SpanExporter {
  return {
    export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]) {
      exporter.export(spans, (result) => {
        if (result.code !== 0) onFailure(result.error?.message ?? 'the collector refused them');
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** `TRACEPARENT`, as build servers set it: the run is part of their trace. */
function parentIn(env: Environment, { trace, ROOT_CONTEXT }: typeof import('@opentelemetry/api')) {
  const [, traceId, spanId, flags] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(env.TRACEPARENT ?? '') ?? [];
  if (!traceId || !spanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}

async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = work.then(
    () => true,
    () => true,
  );
  const isDone = await Promise.race([done, late]);
  clearTimeout(timer);
  return isDone;
}
