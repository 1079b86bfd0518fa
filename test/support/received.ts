import { v7 as uuidv7 } from 'uuid';
import type { ReceivedEvent } from '../../src/events/receive.ts';

/** A verified webhook as ingestion hands it on; its id is of the moment of its receipt. */
export function receivedEvent(account: { id: string }, fields: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const receivedAt = fields.receivedAt ?? new Date();
  return {
    id: uuidv7({ msecs: receivedAt.getTime() }),
    accountId: account.id,
    provider: 'generic',
    accountSlug: 'slug',
    appKey: 'tests',
    eventType: null,
    externalId: 'external',
    receivedAt,
    headers: '[]',
    contentType: null,
    body: Buffer.from('body'),
    dedupKey: null,
    ...fields,
  };
}
