import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { DeliveryResult } from './messages.ts';

/** A delivery has ended in its workflow. */
export interface DeliveryEnd {
  eventId: string;
  generation: number;
  outcome: DeliveryResult['outcome'];
}

/** What a workflow tells its worker, outside of the history. It is not told again on replay, and is lost with the worker. */
export interface DeliverySinks extends Sinks {
  deliveries: { ended(end: DeliveryEnd): void };
}

const { deliveries } = proxySinks<DeliverySinks>();

/** The outcomes that a signal brings about, and one that was sent by hand too: the worker compares them with the row. */
const bySignal: readonly DeliveryResult['outcome'][] = ['acknowledged', 'dead', 'account_deleted', 'superseded'];

/** Tells the worker how the delivery has ended, where the row may say otherwise. */
export function tellEnd(end: DeliveryEnd): void {
  if (bySignal.includes(end.outcome)) deliveries.ended(end);
}
