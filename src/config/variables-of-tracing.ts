import { secret, servers, usedBy } from './variable.ts';

/** Tracing: mostly OpenTelemetry's own variables. */
export const variablesOfTracing = usedBy(servers, {
  OTEL_EXPORTER_OTLP_ENDPOINT:
    '[Tracing](tracing.md): address of a collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is added. None: tracing is off, unless one of the next two is set.',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'The whole URL for traces, in place of the one above.',
  OTEL_TRACES_EXPORTER:
    '`otlp`, `console`, both, or `none`, which turns tracing off. None: `otlp` if there is an endpoint.',
  OTEL_SDK_DISABLED: {
    shownDefault: 'false',
    meaning: '`true` turns tracing off; the other variables of OpenTelemetry are then ignored.',
  },
  OTEL_SERVICE_NAME: 'Name of the service in traces. None: `webhook-gateway`.',
  OTEL_RESOURCE_ATTRIBUTES: 'More attributes of all spans: `key=value,key2=value2`, values percent-encoded.',
  OTEL_TRACES_SAMPLER: 'Which traces are recorded: [sampling](tracing.md#sampling).',
  OTEL_TRACES_SAMPLER_ARG: 'Share of traces for the ratio samplers, from 0 to 1.',
  OTEL_PROPAGATORS:
    '`tracecontext`, `baggage` or `none`. Without `tracecontext`, deliveries carry no `traceparent`. The gateway makes no baggage.',
  TRACE_CONTINUE_INBOUND:
    '`true`: a webhook continues the [trace of its sender](tracing.md#the-senders-trace). Else it links to it.',
  TRACES_PER_SECOND:
    'Most webhooks a second whose [traces](tracing.md#sampling) a process records, of those that are sampled. `0`: no limit.',
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    'Headers for the collector, such as its key: `key=value,key2=value2`, values percent-encoded.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secret('The same, for traces; added to the headers above.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: '`http/protobuf` or `http/json`.',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'The same, for traces.',
  OTEL_EXPORTER_OTLP_TIMEOUT: 'How long a batch may take with its retries, in milliseconds.',
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: 'The same, for traces.',
  OTEL_EXPORTER_OTLP_COMPRESSION: '`gzip` or `none`.',
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'The same, for traces.',
  OTEL_EXPORTER_OTLP_CERTIFICATE:
    "File of the authorities that sign the collector's certificate, in PEM. None: those of Node.",
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: 'The same, for traces.',
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: 'File of the client certificate, in PEM.',
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: 'The same, for traces.',
  OTEL_EXPORTER_OTLP_CLIENT_KEY: 'File of its private key, in PEM.',
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: 'The same, for traces.',
  OTEL_BSP_SCHEDULE_DELAY: 'How long a batch of spans waits to fill, in milliseconds.',
  OTEL_BSP_EXPORT_TIMEOUT: 'How long an export may take, in milliseconds.',
  OTEL_BSP_MAX_QUEUE_SIZE: 'Spans that wait for the collector. Further ones are dropped.',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 'Spans in one request to the collector.',
});
