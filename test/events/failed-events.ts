import type pg from 'pg';
import type { DeliveryStatus, EventStatus } from '../../src/events/event.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openClient } from '../support/one-connection.ts';
import { useForEach } from '../support/use.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';
import type { StoredFields } from './fill-events.ts';

export const dayMs = 86_400_000;

export let gateway: TestGateway;
let account: { id: string };
export let other: pg.Client;

/** Starts a gateway with one account, and opens a second connection to its database, for each test of a file. */
export function gatewayForEachTest(): void {
  gateway = useGatewayPerTest({ worker: false });
  account = useForEach(() => gateway.admin.createAccount({}));
  other = useForEach(
    () => openClient(gateway.databaseUrl),
    (client) => client.end(),
  );
}

export const event = (
  status: EventStatus,
  deliveryStatus: DeliveryStatus | null,
  fields: Partial<StoredFields> = {},
): StoredFields => ({
  receivedAt: new Date(),
  accountId: account.id,
  provider: 'generic',
  accountSlug: 'slug',
  appKey: 'app',
  eventType: null,
  externalId: 'x',
  ...{ status, deliveryStatus, attempts: 10, deliveredAt: null, nextAttemptAt: null },
  ...fields,
});
/** `n` failed events of the last days. */
export const failedEvents = (n: number, days = 5) =>
  Array.from({ length: n }, (_, i) =>
    event('failed', 'failed', { receivedAt: new Date(Date.now() - (i % days) * dayMs) }),
  );
export const generations = async () =>
  gateway.rows('select generation, count(*)::integer as n from events group by 1 order by 1');
export const state = async (id: string | undefined) => {
  const [row] = await gateway.rows(
    `select e.status, e.delivery_status, e.generation, e.attempts, e.scheduled_attempts, e.manual_attempts, e.last_error, e.response_code, e.delivered_at,
       e.next_attempt_at, e.held_since, e.generation_at > now() - interval '1 minute' as fresh, to_jsonb(q) - 'event_id' - 'lane_since' as queued
     from events e left join event_queue q on q.event_id = e.id where e.id = $1`,
    [id],
  );
  return row;
};
