import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { StartError } from '../../shared/start-error.ts';
import { certificatesIn, isKeyOf, PemError, privateKeyIn, readPem } from '../../shared/tls/pem.ts';
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
      ...tlsOf(files),
    },
  });
  return exporter;
}

/** The certificates and the key, checked here: Node would ignore a wrong one, or fail at each export. */
function tlsOf({ ca, cert, key }: OtlpSettings['files']): { ca?: string; cert?: string; key?: string } {
  const authorities = pem('CERTIFICATE', ca, certificatesIn);
  const own = pem('CLIENT_CERTIFICATE', cert, certificatesIn);
  const ownKey = pem('CLIENT_KEY', key, privateKeyIn);
  if (own && ownKey && !isKeyOf(ownKey.parsed, own.parsed))
    throw new StartError(
      'OTEL_EXPORTER_OTLP_CLIENT_KEY does not belong to the certificate of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE.',
    );
  return {
    ...(authorities ? { ca: authorities.text } : {}),
    ...(own ? { cert: own.text } : {}),
    ...(ownKey ? { key: ownKey.text } : {}),
  };
}

function pem<T>(variable: string, path: string | null, parse: (text: string) => T): { text: string; parsed: T } | null {
  if (path === null) return null;
  try {
    const text = readPem(path);
    return { text, parsed: parse(text) };
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
    throw new StartError(`OTEL_EXPORTER_OTLP_${variable} ${error.message}.`);
  }
}
