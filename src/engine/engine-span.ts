import { inSpan } from '../telemetry/tracing/spans.ts';
import type { Startable } from './startable.ts';

/** The calls to Temporal, named as in the interceptors of Temporal's SDKs, which do not fit OpenTelemetry's SDK 3. */
export type EngineCall = 'StartWorkflow' | 'SignalWithStartWorkflow' | 'SignalWorkflow';

/**
 * Runs a call to Temporal inside its span. The start of an event's first workflow belongs to the trace of its webhook,
 * although another process makes it. A signal is an operator's doing, perhaps days later: it begins a trace of its own.
 */
export function inEngineSpan<T>(
  name: EngineCall,
  workflowId: string,
  { eventId, provider, accountSlug, generation, traceparent }: Startable,
  work: () => Promise<T>,
): Promise<T> {
  return inSpan(
    () => ({
      name: `${name}:deliverEvent`,
      kind: 'client',
      ...(name === 'StartWorkflow' ? { parent: traceparent } : { link: traceparent }),
      attributes: {
        'temporal.workflow.id': workflowId,
        'gateway.event_id': eventId,
        'gateway.provider': provider,
        'gateway.account': accountSlug,
        'gateway.generation': generation,
      },
    }),
    work,
  );
}
