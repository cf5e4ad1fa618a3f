/** An OpenTelemetry collector on loopback: OTLP over HTTP, as JSON. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for the outermost. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly beginsMs: number;
  readonly endsMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** 2 for a failure. */
  readonly status: number;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Of the service that sent them. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
  /** All that was sent, as it came. */
  readonly bodies: readonly string[];
  close(): Promise<void>;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code?: number };
}

/** @param answer status of every answer */
export async function collector(answer = 200): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const resource: Record<string, string | number | boolean> = {};
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8');
      bodies.push(body);
      if (request.url === '/v1/traces' && answer === 200) {
        for (const one of (JSON.parse(body) as Sent).resourceSpans) {
          Object.assign(resource, valuesOf(one.resource.attributes));
          spans.push(...one.scopeSpans.flatMap((scope) => scope.spans.map(spanOf)));
        }
      }
      response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resource,
    bodies,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function spanOf(sent: SentSpan): CollectedSpan {
  return {
    traceId: sent.traceId,
    spanId: sent.spanId,
    parentSpanId: sent.parentSpanId ?? '',
    name: sent.name,
    kind: sent.kind,
    beginsMs: Number(BigInt(sent.startTimeUnixNano) / 1_000_000n),
    endsMs: Number(BigInt(sent.endTimeUnixNano) / 1_000_000n),
    attributes: valuesOf(sent.attributes),
    status: sent.status?.code ?? 0,
  };
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { stringValue, boolValue, intValue, doubleValue } = value;
      return [key, stringValue ?? boolValue ?? Number(intValue ?? doubleValue)];
    }),
  );
}
