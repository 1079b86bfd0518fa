import { upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributes } from './search-attributes.ts';

/**
 * The one place that an exhausted delivery comes through, once a generation: the row says `failed` by now. Whatever has
 * to follow (telling the account's destinations) is asked for here, before the workflow completes.
 */
export async function concludeExhausted(): Promise<void> {
  upsertSearchAttributes([{ key: searchAttributes.deliveryStatus, value: 'failed' }]);
}
