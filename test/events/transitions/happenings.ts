import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { resolveDuplicate } from '../../../src/events/duplicates.ts';
import type { Trigger } from '../../../src/events/event.ts';
import { EventReceiver } from '../../../src/events/event-receiver.ts';
import { stopEvent } from '../../../src/events/transitions/account-deleted.ts';
import { OutcomeRecorder } from '../../../src/events/transitions/attempt-recorded.ts';
import { endCancelled, startAgain } from '../../../src/events/transitions/ended-by-hand.ts';
import { exhaustDisabledEvents } from '../../../src/events/transitions/exhausted.ts';
import { releaseSettledEvents } from '../../../src/events/transitions/no-workflow.ts';
import { waitInQueue } from '../../../src/events/transitions/queued-to-wait.ts';
import type { ReceivedWebhook } from '../../../src/events/transitions/received.ts';
import { markStartedEvents } from '../../../src/events/transitions/started.ts';
import { sweep } from '../../../src/events/transitions/swept.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { outcomeOf, receivedEvent, rejectedEvent, rejectionRecorder } from '../../support/received.ts';
import { rows } from '../../support/stored.ts';
import type { State } from './page.ts';

/** A stored event of a separate account. */
export interface Subject {
  id: string;
  accountId: string;
  appKey: string;
  /** The received webhook; null if the event was rejected. */
  received: ReceivedWebhook | null;
}

/** Changes an event; returns the refusal, such as `409 event_dead`, if the change was refused. */
export type Happening = (gateway: TestGateway, subject: Subject) => Promise<string | undefined>;

/** Stores an event as ingestion does. */
export async function begin(gateway: TestGateway, state: State): Promise<Subject> {
  const appKey = `app-${randomUUID()}`;
  const { id: accountId, account_slug: accountSlug } = await gateway.admin.createAccount({ app_key: appKey });
  const fields = { appKey, accountSlug };
  if (state === 'rejected / null') {
    const rejected = rejectedEvent({ id: accountId }, fields);
    await rejectionRecorder(gateway.database).record(accountId, () => rejected);
    return { id: rejected.id, accountId, appKey, received: null };
  }
  const skippedReason = state === 'enqueued / null' ? 'no_consumer_matched' : null;
  const received = receivedEvent({ id: accountId }, { ...fields, dedupKey: randomUUID(), skippedReason });
  await new EventReceiver(gateway.database).receive(received);
  return { id: received.id, accountId, appKey, received };
}

/** Reads the event's state, and checks that each `failed` besides that of an exhausted event is marked as a person's. */
export async function stateOf({ database }: TestGateway, { id }: Subject): Promise<State> {
  const [row] = await rows(database, 'select status, delivery_status, failed_by_person from events where id = $1', [
    id,
  ]);
  const state = `${row?.status} / ${row?.delivery_status}`;
  if (state === 'failed / failed') return row?.failed_by_person ? `${state}, by a person` : state;
  if ((row?.failed_by_person ?? false) !== (row?.status === 'failed')) throw new Error(`${state} has the wrong mark`);
  return state;
}

const generationOf = async ({ database }: TestGateway, { id }: Subject): Promise<number> =>
  (await rows(database, 'select generation from events where id = $1', [id]))[0]?.generation;

/** Numbers of attempts, all different so that each attempt is recorded. */
let attempts = 0;

const attempt =
  (trigger: Trigger, succeeded: boolean, last = false, claimToken: string | null = null): Happening =>
  async (gateway, subject) => {
    const recorder = new OutcomeRecorder(gateway.database, async () => undefined, claimToken === null);
    const recorded = await recorder.record(
      outcomeOf(subject.id, {
        ...{
          generation: await generationOf(gateway, subject),
          trigger,
          number: ++attempts,
          succeeded,
          last,
          claimToken,
        },
        ...(last ? { nextAttemptAt: null } : {}),
      }),
    );
    if (recorded?.recorded !== true && claimToken === null) throw new Error('the attempt was not recorded');
    return undefined;
  };

const command =
  (path: (subject: Subject) => string, body?: unknown): Happening =>
  async ({ admin }, subject) => {
    const answer = await admin.post(path(subject), body);
    if (answer.status < 300) return undefined;
    return `${answer.status} ${answer.body.code}`;
  };

const queueClaim =
  "update event_queue set claim_token = $2, claimed_until = now() + interval '1 minute' where event_id = $1";
const settleInQueue =
  "update event_queue q set lane = 2 from events e where q.event_id = $1 and e.id = $1 and e.delivery_status <> 'pending'";
const waitForDays = `update event_queue set lane_since = now() - interval '8 days', claimed_until = null where event_id = $1`;
const makeOverdue = `update events set next_attempt_at = now() - interval '1 hour', swept_at = null where id = $1 and delivery_status = 'pending'`;

const enable = async ({ admin }: TestGateway, { accountId }: Subject, enabled: boolean): Promise<void> => {
  const { status } = await admin.request('PATCH', `/admin/accounts/${accountId}`, { enabled });
  // 404: its account is deleted.
  if (status !== 200 && status !== 404) throw new Error(`the account was not changed: ${status}`);
};

/** Everything that can happen to an event, by its name in docs/concepts.md. One name can have several changes. */
export const happenings: Record<string, Happening[]> = {
  'its workflow starts': [
    async (gateway, subject) => {
      const token = randomUUID();
      await gateway.rows(queueClaim, [subject.id, token]);
      const generation = await generationOf(gateway, subject);
      await markStartedEvents(gateway.database, [{ eventId: subject.id, generation, token, runId: 'run' }]);
      return undefined;
    },
  ],
  // EVENT_WORKFLOWS=on_retry
  'it leaves the queue without a workflow': [
    async ({ database }, { id }) => {
      await rows(database, settleInQueue, [id]);
      while (await releaseSettledEvents(database));
      return undefined;
    },
    // The relay makes the attempt that settles the event.
    async (gateway, subject) => {
      const token = randomUUID();
      await gateway.rows(queueClaim, [subject.id, token]);
      const [row] = await gateway.rows('select delivery_status from events where id = $1', [subject.id]);
      if (row?.delivery_status !== 'pending') await attempt('schedule', true, false, token)(gateway, subject);
      return undefined;
    },
  ],
  'a scheduled attempt succeeds': [attempt('schedule', true)],
  'a scheduled attempt fails, and it is not the last': [attempt('schedule', false)],
  'the last scheduled attempt fails': [attempt('schedule', false, true)],
  'a manual attempt succeeds': [attempt('manual', true)],
  'a manual attempt fails': [attempt('manual', false)],
  'the account or the consumer is disabled for 7 days': [
    async (gateway, subject) => {
      await enable(gateway, subject, false);
      const generation = await generationOf(gateway, subject);
      await waitInQueue(gateway.database, {
        eventId: subject.id,
        generation,
        waitsFor: 'account_disabled',
        lastAttempt: 10,
      });
      await gateway.rows(waitForDays, [subject.id]);
      await gateway.rows(`update accounts set updated_at = now() - interval '8 days' where id = $1`, [
        subject.accountId,
      ]);
      await gateway.rows(`update pauses set ended_at = now() - interval '8 days' where ended_at is not null`);
      while ((await exhaustDisabledEvents(gateway.database, 100, async () => undefined)).more);
      await enable(gateway, subject, true);
      return undefined;
    },
  ],
  'the account or the consumer is disabled or enabled': [
    async (gateway, subject) => {
      await enable(gateway, subject, false);
      const generation = await generationOf(gateway, subject);
      await waitInQueue(gateway.database, {
        eventId: subject.id,
        generation,
        waitsFor: 'account_disabled',
        lastAttempt: 10,
      });
      await enable(gateway, subject, true);
      return undefined;
    },
  ],
  'the account or the consumer is deleted': [
    async ({ admin }, { accountId }) => {
      const { status } = await admin.request('DELETE', `/admin/accounts/${accountId}`);
      if (status !== 204 && status !== 404) throw new Error(`the account was not deleted: ${status}`);
      return undefined;
    },
    // An attempt finds that its account was deleted.
    async (gateway, subject) => {
      const event = { eventId: subject.id, generation: await generationOf(gateway, subject) };
      await stopEvent(gateway.database, event);
      return undefined;
    },
  ],
  'deliveries are paused or resumed': [
    async ({ admin }) => {
      await admin.post('/admin/delivery/pause', { reason: 'a test' });
      await admin.post('/admin/delivery/resume');
      return undefined;
    },
    async (gateway, subject) => {
      const generation = await generationOf(gateway, subject);
      await waitInQueue(gateway.database, { eventId: subject.id, generation, waitsFor: 'paused', lastAttempt: 10 });
      return undefined;
    },
  ],
  'the sweep finds the event overdue': [
    async ({ database }, { id }) => {
      await rows(database, makeOverdue, [id]);
      await sweep(database, { overdueS: 60, limit: 10_000, after: null });
      return undefined;
    },
  ],
  'a person cancels its workflow in Temporal': [
    async ({ database }, { id }) => {
      // The start of its workflow has removed it from the queue.
      await rows(database, 'delete from event_queue where event_id = $1', [id]);
      await database.transaction((sql) => endCancelled(sql, { eventId: id, generation: null, isLatest: true }));
      return undefined;
    },
  ],
  'a person terminates or resets its workflow in Temporal': [
    async ({ database }, { id }) => {
      await startAgain(database, [{ eventId: id, lowest: 0, highest: 10 }]);
      return undefined;
    },
  ],
  ack: [command(({ id }) => `/admin/events/${id}/ack`)],
  fail: [command(({ id }) => `/admin/events/${id}/fail`, { error: 'failed' })],
  'fail with dead': [command(({ id }) => `/admin/events/${id}/fail`, { dead: true })],
  replay: [command(({ id }) => `/admin/events/${id}/replay`)],
  'replay-failed': [command(({ appKey }) => `/admin/events/replay-failed?app_key=${appKey}`)],
  'a duplicate': [
    async ({ database }, { received }) => {
      // Rejected webhooks have no duplicates, and a deleted account accepts none.
      if (received?.dedupKey == null) return undefined;
      const receipt = await new EventReceiver(database).receive({ ...received, id: uuidv7() });
      if (receipt.kind === 'duplicate') await resolveDuplicate(database, received.dedupKey);
      return undefined;
    },
  ],
  retry: [command(({ id }) => `/admin/delivery/retry/${id}`)],
};
