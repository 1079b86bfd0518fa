import type { CpuTimes } from '../cpu.ts';
import { ms } from '../report.ts';

/** What was measured of one load, from the first POST to the last delivery. */
export interface Figures {
  sent: number;
  /** Webhooks that were answered 202. */
  acknowledged: number;
  acksPerS: number;
  ackP50Ms: number;
  ackP99Ms: number;
  /** Events that arrived. */
  delivered: number;
  /** From the first POST to the last delivery. */
  seconds: number;
  eventsPerS: number;
  /** From the POST of the webhook to its arrival at the consumer. */
  p50Ms: number;
  p99Ms: number;
  /** Acknowledged events that never arrived. */
  lost: number;
  /** Arrivals of events that had already been delivered. */
  duplicated: number;
  /** CPU milliseconds per event until the last delivery; null where the load shares the servers with another one. */
  cpu: CpuTimes | null;
  /** Metrics that differ from what sender and consumer counted in the whole scenario, in words; null where not compared. */
  miscounted: string[] | null;
  /** Webhooks a second of the bare exchange with the same bodies and connections, if there is one to compare with. */
  barePerS?: number | null;
  /** Events whose first attempt was made from the queue, because the api did not keep them in memory; only where counted. */
  queued?: number;
}

/** A row of the table. */
export interface Measured {
  scenario: string;
  figures: Figures;
}

const whole = (value: number | null | undefined) => (value == null ? '' : Math.round(value));
const perEvent = (value: number | undefined) => value?.toFixed(2) ?? '';

/** The columns of the table, the same for all scenarios. */
export function columnsOf(figures: Figures): Record<string, string | number> {
  return {
    sent: figures.sent,
    'acks/s': whole(figures.acksPerS),
    'ack p50 ms': ms(figures.ackP50Ms),
    'ack p99 ms': ms(figures.ackP99Ms),
    'delivered in s': figures.seconds.toFixed(1),
    'events/s': whole(figures.eventsPerS),
    'end to end p50 ms': ms(figures.p50Ms),
    'end to end p99 ms': ms(figures.p99Ms),
    'not accepted': figures.sent - figures.acknowledged,
    lost: figures.lost,
    duplicated: figures.duplicated,
    'CPU ms/event gateway': perEvent(figures.cpu?.gateway),
    PostgreSQL: perEvent(figures.cpu?.database),
    Temporal: perEvent(figures.cpu?.engine),
    'bare exchange/s': whole(figures.barePerS),
    'metrics that differ': figures.miscounted?.length ?? '',
    ...(figures.queued === undefined ? {} : { 'through the queue': figures.queued }),
  };
}
