import { upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliverEventInput, DeliveryResult } from './messages.ts';
import { searchAttributes } from './search-attributes.ts';

/** Updates the workflow's search attributes. */
export interface Show {
  /** The number of scheduled attempts. */
  attempts(attempts: number): void;
  /** The beginning of a replayed delivery: `pending` again. */
  begun(attempts: number): void;
  /** The outcome of the delivery. */
  end(outcome: DeliveryResult['outcome'], attempts: number): void;
}

/**
 * @param input of a workflow that was started without search attributes: nothing is updated, because Temporal would fail
 *   each task of the workflow that does it.
 */
export function openShow({ withoutSearchAttributes }: Pick<DeliverEventInput, 'withoutSearchAttributes'>): Show {
  const update: typeof upsertSearchAttributes = (values) => {
    if (!withoutSearchAttributes) upsertSearchAttributes(values);
  };
  return {
    attempts: (attempts) => update([{ key: searchAttributes.attempt, value: attempts }]),
    begun: (attempts) =>
      update([
        { key: searchAttributes.attempt, value: attempts },
        { key: searchAttributes.deliveryStatus, value: 'pending' },
      ]),
    end(outcome, attempts) {
      const status = statusOf(outcome);
      update([
        { key: searchAttributes.attempt, value: attempts },
        ...(status === null ? [] : [{ key: searchAttributes.deliveryStatus, value: status }]),
      ]);
    },
  };
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
