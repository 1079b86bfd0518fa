import type { Database } from '../../src/database/database.ts';
import { heldBackSince } from '../../src/events/feed/feed-state.ts';
import type { TestGateway } from './gateway.ts';
import { until } from './until.ts';

/**
 * Waits until the feed has this number of events of an account (`provider/slug` or an id). A transaction that is open in any
 * database of the server, such as that of another test, holds back what was stored after it began.
 */
export const untilInFeed = (gateway: TestGateway, account: string, count: number) =>
  until(`the feed has ${count} events of ${account}`, async () => {
    const { body } = await gateway.admin.request('GET', `/admin/feed?account=${account}&since=1h`);
    return body.data.length >= count;
  });

/** Waits until the feed has all that was stored so far. */
export const untilAllInFeed = ({ reader }: Pick<Database, 'reader'>) =>
  until('the feed has all events', async () => (await heldBackSince(reader)) === null);
