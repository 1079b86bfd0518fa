import { createServer, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { listen } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { type ReceivedSpan, spansOf } from './otlp.ts';

/** A collector of traces on loopback. */
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  spans: ReceivedSpan[];
  requests: { path: string; headers: IncomingHttpHeaders; text: string }[];
  /** The status of the next responses. */
  status: number;
  /** Waits for spans that `wanted` accepts, and returns them. */
  received(what: string, wanted: (span: ReceivedSpan) => boolean, count?: number): Promise<ReceivedSpan[]>;
}

/** Starts a collector that ends with the test. */
export async function collectorForTest(): Promise<Collector> {
  const collector: Collector = {
    endpoint: '',
    spans: [],
    requests: [],
    status: 200,
    received: (what, wanted, count = 1) =>
      until(
        `the collector has ${what}`,
        () => {
          const found = collector.spans.filter(wanted);
          if (found.length >= count) return found;
          const names = collector.spans.map(
            ({ name, attributes }) => `${name} ${attributes['gateway.event_id'] ?? ''}`,
          );
          throw new Error(`it has ${found.length} of ${count}, and in all: ${names.join(', ')}`);
        },
        { retryErrors: true },
      ),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, url = '' } = request;
      const sent = Buffer.concat(chunks);
      const body = headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      collector.requests.push({ path: url, headers, text: body.toString('latin1') });
      if (collector.status === 200) collector.spans.push(...spansOf(headers['content-type'], body));
      response.writeHead(collector.status, { 'content-type': headers['content-type'] ?? '' }).end();
    });
  });
  const port = await listen(server);
  collector.endpoint = `http://127.0.0.1:${port}`;
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return collector;
}

/** The `traceparent` that leads to this span. */
export const traceparentOf = ({ traceId, spanId }: ReceivedSpan, flags = '01') => `00-${traceId}-${spanId}-${flags}`;
