import { upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliveryResult } from './messages.ts';
import { searchAttributes } from './search-attributes.ts';

/** Updates the search attribute with the number of scheduled attempts. */
export function showAttempts(attempts: number): void {
  upsertSearchAttributes([{ key: searchAttributes.attempt, value: attempts }]);
}

/** Resets the search attributes of a replayed delivery to `pending`. */
export function showBegun(attempts: number): void {
  upsertSearchAttributes([
    { key: searchAttributes.attempt, value: attempts },
    { key: searchAttributes.deliveryStatus, value: 'pending' },
  ]);
}

/** Updates the search attributes with the outcome of the delivery. */
export function showEnd(outcome: DeliveryResult['outcome'], attempts: number): void {
  const status = statusOf(outcome);
  upsertSearchAttributes([
    { key: searchAttributes.attempt, value: attempts },
    ...(status === null ? [] : [{ key: searchAttributes.deliveryStatus, value: status }]),
  ]);
}

/** The row's delivery status after this outcome; null when the row was settled earlier, without this workflow. */
function statusOf(outcome: DeliveryResult['outcome']): 'delivered' | 'failed' | null {
  switch (outcome) {
    case 'delivered':
    case 'acknowledged':
      return 'delivered';
    case 'exhausted':
    case 'dead':
    case 'account_deleted':
      return 'failed';
    case 'account_disabled':
    case 'superseded':
    case 'already_settled':
    case 'event_gone':
      return null;
    default:
      return outcome satisfies never;
  }
}
