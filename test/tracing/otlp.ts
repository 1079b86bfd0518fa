import protobuf from 'protobufjs';
import { z } from 'zod';

/** A span as a collector receives it, with ids in hexadecimal. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1: internal, 2: server, 3: client (opentelemetry/proto/trace/v1/trace.proto). */
  kind: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  /** 0: unset, 2: error. */
  status: number;
  resource: Record<string, unknown>;
}

// The messages of https://github.com/open-telemetry/opentelemetry-proto with the fields that the tests read. Unknown fields
// are skipped, so a wrong number here would show as a missing name or id.
const field = (type: string, id: number, rule?: 'repeated') => ({ type, id, ...(rule ? { rule } : {}) });
const exportRequest = protobuf.Root.fromJSON({
  nested: {
    Request: { fields: { resourceSpans: field('ResourceSpans', 1, 'repeated') } },
    ResourceSpans: { fields: { resource: field('Resource', 1), scopeSpans: field('ScopeSpans', 2, 'repeated') } },
    Resource: { fields: { attributes: field('KeyValue', 1, 'repeated') } },
    ScopeSpans: { fields: { spans: field('Span', 2, 'repeated') } },
    Span: {
      fields: {
        traceId: field('bytes', 1),
        spanId: field('bytes', 2),
        parentSpanId: field('bytes', 4),
        name: field('string', 5),
        kind: field('int32', 6),
        attributes: field('KeyValue', 9, 'repeated'),
        links: field('Link', 13, 'repeated'),
        status: field('Status', 15),
      },
    },
    Link: { fields: { traceId: field('bytes', 1), spanId: field('bytes', 2) } },
    Status: { fields: { message: field('string', 2), code: field('int32', 3) } },
    KeyValue: { fields: { key: field('string', 1), value: field('AnyValue', 2) } },
    AnyValue: {
      // Values such as 0 and false are then read, too.
      oneofs: { value: { oneof: ['stringValue', 'boolValue', 'intValue', 'doubleValue'] } },
      fields: {
        stringValue: field('string', 1),
        boolValue: field('bool', 2),
        intValue: field('int64', 3),
        doubleValue: field('double', 4),
      },
    },
  },
}).lookupType('Request');

// JSON has ids in hexadecimal and whole numbers as text or number: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
const anyValue = z.looseObject({}).transform((value) => {
  const [kind, content] = Object.entries(value)[0] ?? [];
  return kind === 'intValue' ? Number(content) : content;
});
const attributes = z
  .array(z.object({ key: z.string(), value: anyValue }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])));
const id = z.string().default('');
const requestSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: id,
              spanId: id,
              parentSpanId: id,
              name: z.string(),
              kind: z.number(),
              attributes,
              links: z.array(z.object({ traceId: id, spanId: id })).default([]),
              status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** The spans of one request of an exporter. */
export function spansOf(contentType: string | undefined, body: Buffer): ReceivedSpan[] {
  const message = contentType === 'application/json' ? JSON.parse(body.toString()) : fromProtobuf(body);
  return requestSchema
    .parse(message)
    .resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map(({ status, ...span }) => ({ ...span, status: status.code, resource: resource.attributes })),
      ),
    );
}

/** As the JSON encoding has it: ids in hexadecimal. */
function fromProtobuf(body: Buffer): unknown {
  const plain = exportRequest.toObject(exportRequest.decode(body), { longs: Number, bytes: Array });
  return JSON.parse(
    JSON.stringify(plain, (_, value) =>
      Array.isArray(value) && value.length > 0 && value.every((byte) => typeof byte === 'number')
        ? Buffer.from(value).toString('hex')
        : value,
    ),
  );
}
