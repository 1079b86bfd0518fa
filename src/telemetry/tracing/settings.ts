import { z } from 'zod';
import type { Log } from '../../shared/log.ts';
import { checkedText, list } from '../../shared/setting-types.ts';

// Types of OpenTelemetry's standard variables, and the settings that are made of them. Their meanings:
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/. The SDK itself reads none of them.

/** `true` or `false` in any case. */
export const otelBoolean = z
  .string()
  .refine((text) => /^(true|false)$/i.test(text.trim()), 'must be true or false')
  .transform((text) => /^true$/i.test(text.trim()));

/** The address of a collector. */
export const otelEndpoint = checkedText((text) => {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:'
    ? null
    : 'must be an http: or https: URL, such as http://127.0.0.1:4318';
});

/** The address to which the path of each signal is added. */
export const otelBaseEndpoint = otelEndpoint.refine(
  (text) => !/[?#]/.test(text),
  'must have neither a query nor a fragment, because /v1/traces is added to it',
);

export const otelProtocol = z.enum(['http/protobuf', 'http/json'], {
  error: 'must be http/protobuf or http/json; with a collector that takes both, use its port 4318, not that of grpc',
});
export const otelCompression = z.enum(['gzip', 'none']);

const exporters = ['otlp', 'console', 'none'] as const;
export const otelExporters = listOf(exporters).refine(
  (names) => !names.includes('none') || names.length === 1,
  'none excludes other exporters',
);
const propagators = ['tracecontext', 'baggage', 'none'] as const;
export const otelPropagators = listOf(propagators).refine(
  (names) => !names.includes('none') || names.length === 1,
  'none excludes other propagators',
);

export const otelSamplers = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const;
type SamplerName = (typeof otelSamplers)[number];

/** A share of traces. */
export const otelRatio = z
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

export const otelHeaders = pairs('headers', /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, /^[\x20-\x7e]*$/);
export const otelAttributes = pairs('attributes', /^[\x21-\x7e]+$/, /^\P{Cc}*$/u);

function listOf<const Name extends string>(names: readonly Name[]) {
  return list.pipe(z.array(z.enum(names, { error: `must be of: ${names.join(', ')}` })));
}

/** The variables, parsed; absent ones are undefined. */
export interface TracingVariables {
  OTEL_SDK_DISABLED?: boolean | undefined;
  OTEL_SERVICE_NAME?: string | undefined;
  OTEL_RESOURCE_ATTRIBUTES?: Record<string, string> | undefined;
  OTEL_TRACES_EXPORTER?: (typeof exporters)[number][] | undefined;
  OTEL_TRACES_SAMPLER: SamplerName;
  OTEL_TRACES_SAMPLER_ARG: number;
  OTEL_PROPAGATORS: (typeof propagators)[number][];
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_HEADERS?: Record<string, string> | undefined;
  OTEL_EXPORTER_OTLP_TRACES_HEADERS?: Record<string, string> | undefined;
  OTEL_EXPORTER_OTLP_PROTOCOL: z.infer<typeof otelProtocol>;
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL?: z.infer<typeof otelProtocol> | undefined;
  OTEL_EXPORTER_OTLP_TIMEOUT: number;
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT?: number | undefined;
  OTEL_EXPORTER_OTLP_COMPRESSION: z.infer<typeof otelCompression>;
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION?: z.infer<typeof otelCompression> | undefined;
  OTEL_EXPORTER_OTLP_CERTIFICATE?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE?: string | undefined;
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE?: string | undefined;
  OTEL_EXPORTER_OTLP_CLIENT_KEY?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY?: string | undefined;
  OTEL_BSP_SCHEDULE_DELAY: number;
  OTEL_BSP_EXPORT_TIMEOUT: number;
  OTEL_BSP_MAX_QUEUE_SIZE: number;
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: number;
  TRACE_CONTINUE_INBOUND: boolean;
  TRACES_PER_SECOND: number;
}

/** How traces are made and where they are sent. Plain data, which `npm start` passes to its worker process. */
export interface TracingSettings {
  toConsole: boolean;
  /** The collector; null: none. */
  otlp: OtlpSettings | null;
  sampler: { name: SamplerName; ratio: number };
  /** The most traces of webhooks and of attempts that a process begins to record in a second; 0: no limit. */
  tracesPerSecond: number;
  /** The bounded queue of spans before the collector. */
  batch: { delayMs: number; timeoutMs: number; maxQueue: number; maxBatch: number };
  /** Attributes of the process, in addition to the gateway's own. */
  resource: Record<string, string>;
  /** Whether deliveries carry a `traceparent`. */
  propagates: boolean;
  /** Whether a webhook continues the trace of its sender. */
  continueInbound: boolean;
}

export interface OtlpSettings {
  url: string;
  protocol: z.infer<typeof otelProtocol>;
  /** Secrets, as a rule. */
  headers: Record<string, string>;
  timeoutMs: number;
  compression: z.infer<typeof otelCompression>;
  /** Paths of files in PEM; null: none. */
  files: { ca: string | null; cert: string | null; key: string | null };
}

/** What a process says of itself in its spans. */
export interface TracedProcess {
  /** `all`, `api` or `worker`; the two processes of `npm start` are `all` and `worker`. */
  role: string;
  log: Log;
}

/** Where a collector listens by default (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
const defaultEndpoint = 'http://localhost:4318';

/** The settings of tracing; null when no variable turns it on. */
export function tracingOf(e: TracingVariables): TracingSettings | null {
  const given = e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? e.OTEL_EXPORTER_OTLP_ENDPOINT;
  const names = e.OTEL_TRACES_EXPORTER ?? (given === undefined ? [] : ['otlp']);
  if (e.OTEL_SDK_DISABLED || names.length === 0 || names.includes('none')) return null;
  return {
    toConsole: names.includes('console'),
    otlp: names.includes('otlp') ? otlpOf(e) : null,
    sampler: { name: e.OTEL_TRACES_SAMPLER, ratio: e.OTEL_TRACES_SAMPLER_ARG },
    tracesPerSecond: e.TRACES_PER_SECOND,
    batch: {
      delayMs: e.OTEL_BSP_SCHEDULE_DELAY,
      timeoutMs: e.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueue: e.OTEL_BSP_MAX_QUEUE_SIZE,
      maxBatch: e.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
    resource: {
      ...e.OTEL_RESOURCE_ATTRIBUTES,
      ...(e.OTEL_SERVICE_NAME === undefined ? {} : { 'service.name': e.OTEL_SERVICE_NAME }),
    },
    propagates: e.OTEL_PROPAGATORS.includes('tracecontext'),
    continueInbound: e.TRACE_CONTINUE_INBOUND,
  };
}

function otlpOf(e: TracingVariables): OtlpSettings {
  const base = (e.OTEL_EXPORTER_OTLP_ENDPOINT ?? defaultEndpoint).replace(/\/+$/, '');
  return {
    // The endpoint for traces is used as it is; the one for all signals is their common base.
    url: e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? `${base}/v1/traces`,
    protocol: e.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? e.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: { ...e.OTEL_EXPORTER_OTLP_HEADERS, ...e.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    timeoutMs: e.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? e.OTEL_EXPORTER_OTLP_TIMEOUT,
    compression: e.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? e.OTEL_EXPORTER_OTLP_COMPRESSION,
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
