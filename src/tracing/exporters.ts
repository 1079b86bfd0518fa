import { readFileSync } from 'node:fs';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { StartError } from '../shared/start-error.ts';
import type { OtlpSettings, TracingSettings } from './settings.ts';

/** Where the spans go. @throws StartError when a file of a certificate cannot be read. */
export async function spanProcessors({ toConsole, otlp, batch }: TracingSettings): Promise<SpanProcessor[]> {
  const processors: SpanProcessor[] = [];
  if (otlp)
    processors.push(
      new BatchSpanProcessor({
        exporter: await otlpExporter(otlp),
        scheduledDelayMillis: batch.delayMs,
        exportTimeoutMillis: batch.timeoutMs,
        maxQueueSize: batch.maxQueue,
        maxExportBatchSize: batch.maxBatch,
      }),
    );
  if (toConsole) processors.push(new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() }));
  return processors;
}

async function otlpExporter({ url, protocol, headers, timeoutMs, compression, files }: OtlpSettings) {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'));
  const exporter: SpanExporter = new OTLPTraceExporter({
    ...{ url, headers },
    compression: compression === 'gzip' ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
    timeoutMillis: timeoutMs,
    httpAgentOptions: {
      keepAlive: true,
      ...(files.ca === null ? {} : { ca: pem('CERTIFICATE', files.ca) }),
      ...(files.cert === null ? {} : { cert: pem('CLIENT_CERTIFICATE', files.cert) }),
      ...(files.key === null ? {} : { key: pem('CLIENT_KEY', files.key) }),
    },
  });
  return exporter;
}

function pem(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new StartError(`OTEL_EXPORTER_OTLP_${variable}: the file ${path} cannot be read${code}.`);
  }
}
