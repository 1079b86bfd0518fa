import { upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliverEventInput, DeliveryResult, DeliveryStatus } from './messages.ts';
import { searchAttributes } from './search-attributes.ts';

/**
 * Keeps the search attributes of a workflow true, with as few writes as possible: none for a workflow whose delivery had
 * ended at its start.
 */
export interface Show {
  /** What the attributes say of the delivery; undefined in a workflow that an earlier release started. */
  readonly status: DeliveryStatus | undefined;
  /** An attempt has failed: the number of scheduled attempts so far. */
  failed(attempts: number): void;
  /** A replay has begun: `pending` again. */
  replayed(attempts: number): void;
  /**
   * The delivery has ended.
   *
   * @param settledAs the row's status, if the row was settled without this workflow.
   */
  ended(outcome: DeliveryResult['outcome'], attempts: number, settledAs?: DeliveryStatus): void;
}

/**
 * @param input of a workflow that was started without search attributes: nothing is updated, because Temporal would fail
 *   each task of the workflow that does it.
 */
export function openShow({ resume, withoutSearchAttributes }: DeliverEventInput): Show {
  let status = resume.deliveryStatus;
  /** Whether the number of attempts has changed since the start, or was above 0 then. */
  let hasFailed = resume.attempts > 0 && !resume.settled;
  const update = (attempts: number, newStatus: DeliveryStatus | null) => {
    if (newStatus) status = newStatus;
    if (withoutSearchAttributes) return;
    upsertSearchAttributes([
      { key: searchAttributes.attempt, value: attempts },
      ...(newStatus ? [{ key: searchAttributes.deliveryStatus, value: newStatus }] : []),
    ]);
  };
  return {
    get status() {
      return status;
    },
    failed(attempts) {
      hasFailed = true;
      update(attempts, null);
    },
    replayed(attempts) {
      const isOther = status !== undefined && status !== 'pending';
      if (isOther || hasFailed) update(attempts, isOther ? 'pending' : null);
    },
    ended(outcome, attempts, settledAs) {
      if (outcome === 'exhausted') hasFailed = true;
      const newStatus = statusOf(outcome) ?? settledAs ?? null;
      const isOther = status !== undefined && newStatus !== null && newStatus !== status;
      if (isOther || hasFailed) update(attempts, newStatus);
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
