import { log } from '@temporalio/workflow';

/**
 * The one place that an exhausted delivery comes through, once a generation: the row says `failed` by now. Whatever has
 * to follow (telling the account's destinations) is asked for here, before the workflow completes.
 */
export async function concludeExhausted(event: {
  eventId: string;
  generation: number;
  attempts: number;
}): Promise<void> {
  log.warn('the delivery is exhausted', event);
}
