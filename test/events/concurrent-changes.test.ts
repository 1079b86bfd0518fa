import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { markStartedEvents } from '../../src/events/transitions/started.ts';
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
