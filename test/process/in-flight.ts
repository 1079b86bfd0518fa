import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { aliveS } from '../../src/processes/process-rows.ts';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import type { Api, Roles } from '../support/gateway-roles.ts';
import { until } from '../support/until.ts';

/** Attempts whose time limit no test reaches. */
export const longAttempts = { DELIVERY_TIMEOUT: '2m' };

/**
 * Sends webhooks to these apis round-robin, to a consumer that answers them only by `answer`, until all first attempts are in
 * flight.
 */
export async function inFlight(apis: readonly [Api, ...Api[]], count: number) {
  const [api] = apis;
  const waiting: ServerResponse[] = [];
  const { consumer, account } = await accountForTest(api.admin, (response) => void waiting.push(response));
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      send((apis[n % apis.length] ?? api).baseUrl, account, JSON.stringify({ id: `event-${n}` })),
    ),
  );
  await until('all attempts are in flight', () => consumer.deliveries.length === count);
  consumer.replies = [200];
  const answer = () => {
    for (const response of waiting) response.end();
  };
  return { consumer, answer, ids: answers.map(({ body }) => body.id as string).sort() };
}

/** Gives the claim of an event to a process that is gone, as if its last heartbeat had been now. */
export const claimOfGone = (roles: Roles, eventId: string) =>
  roles.query(
    `with gone as (
       insert into processes (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
       values ($2, 'api', 'gone', 1, 'gone', true, now(), now() + make_interval(secs => $3), 0) returning token
     )
     update event_queue set claim_token = token from gone where event_id = $1`,
    [eventId, randomUUID(), aliveS],
  );
