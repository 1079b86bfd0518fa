import { z } from 'zod';
import type { Log } from '../../shared/log.ts';
import { checkedText, integerBetween, list } from '../../shared/setting-types.ts';

// Types of OpenTelemetry's standard variables, and the settings that are made of them. Their meanings:
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/. The SDK itself reads none of them.

/** `true` or `false` in any case. */
const otelBoolean = z
  .string()
  .refine((text) => /^(true|false)$/i.test(text.trim()), 'must be true or false')
  .transform((text) => /^true$/i.test(text.trim()));

/** The address of a collector. */
const otelEndpoint = checkedText((text) => {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:'
    ? null
    : 'must be an http: or https: URL, such as http://127.0.0.1:4318';
});

/** The address to which the path of each signal is added. */
const otelBaseEndpoint = otelEndpoint.refine(
  (text) => !/[?#]/.test(text),
  'must have neither a query nor a fragment, because /v1/traces is added to it',
);

const otelProtocol = z.enum(['http/protobuf', 'http/json'], {
  error: 'must be http/protobuf or http/json; with a collector that takes both, use its port 4318, not that of grpc',
});
const otelCompression = z.enum(['gzip', 'none']);

const otelExporters = listOf('exporters', ['otlp', 'console', 'none']);
const otelPropagators = listOf('propagators', ['tracecontext', 'baggage', 'none']);

const otelSampler = z.enum([
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
]);

/** A share of traces. */
const otelRatio = z
  .string()
  .regex(/^(0|1|0?\.\d+|[01]\.\d*)$/, 'must be a number from 0 to 1')
  .transform(Number)
  .refine((ratio) => ratio <= 1, 'must be a number from 0 to 1');

/** `key=value` between commas, values percent-encoded (https://www.w3.org/TR/baggage/). The errors show no values. */
const pairs = (what: string, isKey: RegExp, isValue: RegExp) =>
  list.transform((parts, context) => {
    const found: Record<string, string> = {};
    for (const part of parts) {
      const [key = '', ...rest] = part.split('=');
      const value = decoded(rest.join('=').trim());
      if (rest.length === 0 || !isKey.test(key.trim()) || value === null || !isValue.test(value)) {
        context.addIssue({
          code: 'custom',
          message: `must be ${what} such as key=value,key2=value2, with values in percent-encoding`,
        });
        return z.NEVER;
      }
      found[key.trim()] = value;
    }
    return found;
  });

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const otelHeaders = pairs('headers', /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, /^[\x20-\x7e]*$/);
const otelAttributes = pairs('attributes', /^[\x21-\x7e]+$/, /^\P{Cc}*$/u);

/** Some of these names, of which `none` stands alone. */
function listOf<const Name extends string>(what: string, names: readonly Name[]) {
  return list
    .pipe(z.array(z.enum(names, { error: `must be of: ${names.join(', ')}` })))
    .refine(
      (given) => given.length === 1 || given.every((name: unknown) => name !== 'none'),
      `none excludes other ${what}`,
    );
}

/** The variables of tracing, for the environment of a process (src/config/environment.ts). */
export const tracingVariables = {
  OTEL_SDK_DISABLED: otelBoolean.optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: otelAttributes.optional(),
  OTEL_TRACES_EXPORTER: otelExporters.optional(),
  OTEL_TRACES_SAMPLER: otelSampler.default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: otelRatio.prefault('1'),
  OTEL_PROPAGATORS: otelPropagators.prefault('tracecontext,baggage'),
  OTEL_EXPORTER_OTLP_ENDPOINT: otelBaseEndpoint.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otelEndpoint.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otelHeaders.optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: otelHeaders.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: otelProtocol.default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otelProtocol.optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: integerBetween(1, 600_000).prefault('10000'),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: integerBetween(1, 600_000).optional(),
  OTEL_EXPORTER_OTLP_COMPRESSION: otelCompression.default('none'),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: otelCompression.optional(),
  OTEL_EXPORTER_OTLP_CERTIFICATE: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: z.string().optional(),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: z.string().optional(),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: z.string().optional(),
  OTEL_BSP_SCHEDULE_DELAY: integerBetween(1, 600_000).prefault('5000'),
  OTEL_BSP_EXPORT_TIMEOUT: integerBetween(1, 600_000).prefault('30000'),
  OTEL_BSP_MAX_QUEUE_SIZE: integerBetween(1, 1_000_000).prefault('2048'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: integerBetween(1, 1_000_000).prefault('512'),
  TRACE_CONTINUE_INBOUND: z.stringbool().default(false),
  TRACES_PER_SECOND: integerBetween(0, 1_000_000).prefault('100'),
};

type TracingVariables = z.infer<z.ZodObject<typeof tracingVariables>>;

/** How traces are made and where they are sent. */
export type TracingSettings = NonNullable<ReturnType<typeof tracingOf>>;

/** A collector. */
export type OtlpSettings = ReturnType<typeof otlpOf>;

/** What a process says of itself in its spans. */
export interface TracedProcess {
  /** `api` or `worker`, also with `npm start`. The other roles have no spans. */
  role: string;
  log: Log;
}

/** Where a collector listens by default (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
const defaultEndpoint = 'http://localhost:4318';

/** The settings of tracing; null when no variable turns it on. */
export function tracingOf(e: TracingVariables) {
  const given = e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? e.OTEL_EXPORTER_OTLP_ENDPOINT;
  const names = e.OTEL_TRACES_EXPORTER ?? (given === undefined ? [] : ['otlp']);
  if (e.OTEL_SDK_DISABLED || names.length === 0 || names.includes('none')) return null;
  /** Attributes of the process, in addition to the gateway's own. */
  const resource: Record<string, string> = { ...e.OTEL_RESOURCE_ATTRIBUTES };
  if (e.OTEL_SERVICE_NAME !== undefined) resource['service.name'] = e.OTEL_SERVICE_NAME;
  return {
    toConsole: names.includes('console'),
    /** The collector; null: none. */
    otlp: names.includes('otlp') ? otlpOf(e) : null,
    sampler: { name: e.OTEL_TRACES_SAMPLER, ratio: e.OTEL_TRACES_SAMPLER_ARG },
    /** The most traces of webhooks and of attempts that a process begins to record in a second; 0: no limit. */
    tracesPerSecond: e.TRACES_PER_SECOND,
    /** The bounded queue of spans before the collector. */
    batch: {
      delayMs: e.OTEL_BSP_SCHEDULE_DELAY,
      timeoutMs: e.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueue: e.OTEL_BSP_MAX_QUEUE_SIZE,
      maxBatch: e.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
    resource,
    /** Whether deliveries carry a `traceparent`. */
    propagates: e.OTEL_PROPAGATORS.includes('tracecontext'),
    /** Whether a webhook continues the trace of its sender. */
    continueInbound: e.TRACE_CONTINUE_INBOUND,
  };
}

function otlpOf(e: TracingVariables) {
  const base = (e.OTEL_EXPORTER_OTLP_ENDPOINT ?? defaultEndpoint).replace(/\/+$/, '');
  /** Secrets, as a rule. */
  const headers: Record<string, string> = { ...e.OTEL_EXPORTER_OTLP_HEADERS, ...e.OTEL_EXPORTER_OTLP_TRACES_HEADERS };
  return {
    // The endpoint for traces is used as it is; the one for all signals is their common base.
    url: e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? `${base}/v1/traces`,
    protocol: e.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? e.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers,
    timeoutMs: e.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? e.OTEL_EXPORTER_OTLP_TIMEOUT,
    compression: e.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? e.OTEL_EXPORTER_OTLP_COMPRESSION,
    /** Paths of files in PEM; null: none. */
    files: {
      ca: e.OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE ?? e.OTEL_EXPORTER_OTLP_CERTIFICATE ?? null,
      cert: e.OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE ?? e.OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE ?? null,
      key: e.OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY ?? e.OTEL_EXPORTER_OTLP_CLIENT_KEY ?? null,
    },
  };
}

/** Mistakes that involve several variables, each with the variable to name. */
export function tracingMistakes(e: TracingVariables): { name: string; message: string }[] {
  const mistakes: { name: string; message: string }[] = [];
  if (e.OTEL_BSP_MAX_EXPORT_BATCH_SIZE > e.OTEL_BSP_MAX_QUEUE_SIZE)
    mistakes.push({
      name: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
      message: `must be at most OTEL_BSP_MAX_QUEUE_SIZE, which is ${e.OTEL_BSP_MAX_QUEUE_SIZE}`,
    });
  const { cert, key } = otlpOf(e).files;
  if ((cert === null) !== (key === null))
    mistakes.push({
      name: cert === null ? 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE' : 'OTEL_EXPORTER_OTLP_CLIENT_KEY',
      message: 'must be set, too: a client certificate needs both',
    });
  return mistakes;
}
