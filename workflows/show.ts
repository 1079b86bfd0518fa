import { upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliveryResult } from './messages.ts';
import { searchAttributes } from './search-attributes.ts';

/** Lets operators find the workflow by how many scheduled attempts it has had. */
export function showAttempts(attempts: number): void {
  upsertSearchAttributes([{ key: searchAttributes.attempt, value: attempts }]);
}

/** Takes a replayed delivery off the failed ones. */
export function showBegun(attempts: number): void {
  upsertSearchAttributes([
    { key: searchAttributes.attempt, value: attempts },
    { key: searchAttributes.deliveryStatus, value: 'pending' },
  ]);
}

/** Lets operators find the workflow by what became of the delivery. */
export function showEnd(outcome: DeliveryResult['outcome'], attempts: number): void {
  const status = statusOf(outcome);
  upsertSearchAttributes([
    { key: searchAttributes.attempt, value: attempts },
    ...(status === null ? [] : [{ key: searchAttributes.deliveryStatus, value: status }]),
  ]);
}

/** The row's delivery status after this end; null where the row was settled before, by somebody else. */
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
