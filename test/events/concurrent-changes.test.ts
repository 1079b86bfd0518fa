import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { markStartedEvents } from '../../src/events/transitions/started.ts';
import { attemptsOf } from '../support/history.ts';
import { outcomeOf } from '../support/received.ts';
import { useGateway } from '../support/use-gateway.ts';

// The start of a workflow and the outcome of its first attempt can be recorded at the same time. Neither may get lost.

const gateway = useGateway({ worker: false });

test('concurrent records of started workflows and of attempts are all applied', async () => {
  const { database } = gateway;
  const account = await gateway.admin.createAccount({});
  const sent = await Promise.all(
    Array.from({ length: 300 }, (_, n) => gateway.send(account, JSON.stringify({ id: `event-${n}` }))),
  );
  const ids: string[] = sent.map(({ body }) => body.id);
  const token = randomUUID();
  await database.pool.query('update event_queue set claim_token = $1', [token]);
  const recorder = new OutcomeRecorder(database, async () => undefined);
  await Promise.all(
    ids.flatMap((eventId) => [
      markStartedEvents(database, [{ eventId, generation: 0, token, runId: 'run' }]),
      recorder.record(outcomeOf(eventId)),
    ]),
  );
  const { rows } = await database.pool.query<{ n: number }>(
    `select count(*)::integer as n from events
     where status = 'enqueued' and started_generation = 0 and delivery_status = 'delivered' and attempts = 1`,
  );
  expect(rows[0]?.n).toBe(ids.length);
  expect((await database.pool.query('select 1 from event_queue')).rowCount).toBe(0);
});

test('an attempt is recorded although a replay of its event has been delivered and has left the queue', async () => {
  const { database, admin, rows } = gateway;
  const { id } = (await gateway.send(await admin.createAccount({}), '{"id":"slow"}')).body;
  const recorder = new OutcomeRecorder(database, async () => undefined, false);
  /** Claims the event for another process. */
  const claimed = async () => {
    const token = randomUUID();
    await rows(`update event_queue set claim_token = $2, claimed_until = 'infinity' where event_id = $1`, [id, token]);
    return token;
  };
  const slow = { claimToken: await claimed(), startedAt: new Date(Date.now() - 10_000), succeeded: false };
  expect((await admin.post(`/admin/events/${id}/replay`)).status).toBe(202);
  await recorder.record(outcomeOf(id, { generation: 1, claimToken: await claimed() }));
  expect(await rows('select 1 from event_queue where event_id = $1', [id])).toEqual([]);
  expect(await recorder.record(outcomeOf(id, slow))).toMatchObject({ recorded: true, generation: 1 });
  const event = await admin.event(id);
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '1 schedule 1 delivered']);
  expect(event).toMatchObject({ generation: 1, attempts: 1, delivery_status: 'delivered', last_error: null });
});
