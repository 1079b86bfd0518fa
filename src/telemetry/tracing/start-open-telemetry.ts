import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { context, DiagLogLevel, diag } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Running } from '../../shared/running.ts';
import { version } from '../../shared/version.ts';
import { ExportLog } from './export-log.ts';
import { spanProcessors } from './exporters.ts';
import { OpenTelemetryTracing } from './open-telemetry.ts';
import { EventSampler } from './sampler.ts';
import type { TracedProcess, TracingSettings } from './settings.ts';
import { useTracing } from './spans.ts';
import { TraceIds } from './trace-ids.ts';

/** How long the end of a process waits for a collector: well below the 38 s after which `npm start` ends its worker. */
const flushLimitMs = 5_000;
/** Spans have about ten attributes of a few hundred characters; a larger one is cut, so that no text fills the queue. */
const maxAttributeLength = 1_024;

/** Loads OpenTelemetry and turns tracing on. See `startTracing`. */
export async function startOpenTelemetry(settings: TracingSettings, { role, log }: TracedProcess): Promise<Running> {
  const processors = await spanProcessors(settings);
  // Without the credentials that its URL may have.
  const collector = settings.otlp === null ? null : new URL(settings.otlp.url).host;
  const exportLog = new ExportLog(log, collector);
  diag.setLogger(exportLog.diag, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  setGlobalErrorHandler((error) => exportLog.failed(error));
  const ids = new TraceIds();
  const provider = new TracerProvider({
    // Only spans that are recorded reach the SDK.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: processors,
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': 'webhook-gateway',
        'service.version': version,
        'service.instance.id': randomUUID(),
        'host.name': hostname(),
        'process.pid': process.pid,
        'gateway.role': role,
        ...settings.resource,
      }),
    ),
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  useTracing(
    new OpenTelemetryTracing({
      tracer: provider.getTracer('webhook-gateway', version),
      sampler: new EventSampler(settings),
      ids,
      propagates: settings.propagates,
      continueInbound: settings.continueInbound,
    }),
  );
  log.info({ collector, sampler: settings.sampler.name }, 'tracing on');
  return {
    async stop() {
      useTracing(null);
      const limit = new AbortController();
      const late = sleep(flushLimitMs, 'late', { signal: limit.signal }).catch(() => 'flushed');
      const flushed = provider.shutdown().catch((error: unknown) => exportLog.failed(error));
      if ((await Promise.race([flushed, late])) === 'late')
        exportLog.failed(new Error('the collector did not take the last spans in time'));
      limit.abort();
      context.disable();
      diag.disable();
    },
  };
}
