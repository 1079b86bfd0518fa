import { describe, expect, test } from 'vitest';
import type { Reply } from '../support/consumer.ts';
import { firstAttemptsBy } from '../support/first-attempts.ts';
import { instantDelaysMs, lastAttempt } from '../support/gateway.ts';
import { allFailed, attemptsOf, statesOf } from '../support/history.ts';
import { deadError } from '../support/operator.ts';
import { hold } from '../support/replies.ts';
import { type Stage, useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// Operators' commands during an attempt win over its outcome (docs/concepts.md). The schedule has no delays, so that an
// attempt that must not be made any more would be made at once.

interface Ids {
  id: string;
  accountId: string;
}

/** The final states and the possible workflow outcomes of each command, for any answer of the consumer. */
const endings = {
  ack: { states: 'processed/delivered', outcomes: ['acknowledged', 'delivered'] },
  dead: { states: 'dead/failed', outcomes: ['dead'] },
  deleteAccount: { states: 'enqueued/failed', outcomes: ['account_deleted'] },
} as const;
/** The outcomes of a workflow that starts after the end of the delivery; it handles signals of its first task first. */
const foundEndings = {
  ack: ['already_settled'],
  dead: ['already_settled', 'dead'],
  deleteAccount: ['already_settled', 'account_deleted'],
} as const;
const answers = [200, 500] as const;
const outcomeOf = { 200: 'delivered', 500: 'http_error' } as const;

/** Sends the command and returns the body of the answer. */
async function interfere(stage: Stage, what: keyof typeof endings, { id, accountId }: Ids) {
  const { status, body } = await (what === 'deleteAccount'
    ? stage.operate.deleteAccount(accountId)
    : stage.operate[what](id));
  expect(status).toBe(what === 'deleteAccount' ? 204 : 200);
  return body;
}

/** The event and the outcome of its workflow after that has ended; the outcome is null if the event needed none. */
async function settled(stage: Stage, id: string) {
  const outcome = (await stage.workflowResult(id))?.outcome ?? null;
  const event = await stage.gateway.admin.eventually(id, (e) => e.status !== 'received');
  return { outcome, event };
}

describe.each(firstAttemptsBy)('first attempts by %s', (_, apiDelivers) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers });
  /** Whether an event that its first attempt has delivered needs no workflow. */
  const needsNone = () => apiDelivers && stage.gateway.eventWorkflows === 'on_retry';

  /**
   * How the last workflow of a replayed event ended. The replay gets a run of its own, which may begin after that of the
   * former generation has ended. With `on_retry`, a replay that the api delivers at once gets none.
   */
  async function replayedRun(id: string) {
    if (needsNone()) return (await stage.workflowResult(id))?.outcome ?? null;
    const ofReplay = async () => [await stage.workflowResult(id)].find((result) => result?.generation === 1);
    return (await until('the run of the replay has ended', ofReplay)).outcome;
  }

  describe.each([
    ['the first', 1],
    ['the last', lastAttempt],
  ])('during %s attempt', (_, nth) => {
    /** An event whose attempt number `nth` waits for its answer. Later attempts would succeed, if not told otherwise. */
    async function held(...later: Reply[]) {
      const held = hold();
      const failed = Array.from({ length: nth - 1 }, () => 500);
      const consumer = await stage.consumer(...failed, held.reply, ...later, 200);
      const ids = await stage.sendTo(consumer);
      const delivery = await held.arrived;
      expect(delivery.headers['x-webhook-attempt']).toBe(String(nth));
      return { ...ids, consumer, answer: held.answer, before: allFailed().slice(0, nth - 1) };
    }
    /** Whether the api makes the attempt, so that the workflow starts after the end of the delivery. */
    const foundEnded = apiDelivers && nth === 1;

    describe.each(answers)('that is then answered with %i', (answer) => {
      const last = `0 schedule ${nth} ${outcomeOf[answer]}`;

      test.each(['ack', 'dead', 'deleteAccount'] as const)('%s wins', async (what) => {
        const { consumer, before, ...race } = await held();
        const told = await interfere(stage, what, race);
        race.answer(answer);
        await stage.gateway.admin.eventually(race.id, (e) => e.delivery_history.length >= nth);
        const { outcome, event } = await settled(stage, race.id);
        expect(attemptsOf(event)).toEqual([...before, last]);
        expect(event.attempts).toBe(nth);
        expect(statesOf(event)).toBe(endings[what].states);
        expect(event.next_attempt_at).toBeNull();
        if (what === 'ack') expect(event.delivered_at).toBe(told.delivered_at);
        if (what === 'dead') expect(event.last_error).toBe(deadError);
        if (what === 'deleteAccount') expect(event.last_error).toBe('account_deleted');
        if (foundEnded && needsNone()) expect(outcome).toBeNull();
        else expect(foundEnded ? foundEndings[what] : endings[what].outcomes).toContain(outcome);
        expect(consumer.deliveries).toHaveLength(nth);
      });

      test('replay wins and makes its own attempts', async () => {
        const replayed = hold();
        const { consumer, before, ...race } = await held(replayed.reply);
        expect((await stage.operate.replay(race.id)).status).toBe(202);
        race.answer(answer);
        const { admin } = stage.gateway;
        await admin.eventually(race.id, (e) => e.delivery_history.length === nth);
        await replayed.arrived;
        replayed.answer(200);
        const event = await admin.eventually(race.id, (e) => statesOf(e) === 'enqueued/delivered');
        expect(event).toMatchObject({ generation: 1, attempts: 1 });
        expect(attemptsOf(event)).toEqual([...before, last, '1 schedule 1 delivered']);
        const delivered = apiDelivers ? 'already_settled' : 'delivered';
        expect(await replayedRun(race.id)).toBe(needsNone() ? (nth === 1 ? null : 'superseded') : delivered);
        expect(consumer.deliveries.map(({ headers }) => headers['x-webhook-replay'])).toEqual([
          ...Array.from({ length: nth }, () => 'false'),
          'true',
        ]);
      });

      // Only here the api makes the first attempt of the replay while that of the workflow is in flight.
      if (apiDelivers && nth > 1) {
        test('a replay that is delivered before it stays so', async () => {
          const { consumer, before, ...race } = await held();
          expect((await stage.operate.replay(race.id)).status).toBe(202);
          const { admin } = stage.gateway;
          await admin.eventually(race.id, (e) => e.generation === 1 && e.delivery_status === 'delivered');
          race.answer(answer);
          await admin.eventually(race.id, (e) => e.delivery_history.length > nth);
          // The row says so. It is the same whether the signal of the replay comes before the answer, after it, or never.
          expect((await stage.workflowResult(race.id))?.outcome).toBe('already_settled');
          expect(await replayedRun(race.id)).toBe('already_settled');
          const event = await admin.eventually(race.id, (e) => e.status !== 'received');
          expect(event).toMatchObject({ status: 'enqueued', delivery_status: 'delivered', generation: 1, attempts: 1 });
          expect(attemptsOf(event).toSorted()).toEqual([...before, last, '1 schedule 1 delivered'].toSorted());
          expect(consumer.deliveries).toHaveLength(nth + 1);
        });
      }
    });

    test('the attempt is recorded as delivered if the account is disabled', async () => {
      const race = await held();
      expect((await stage.operate.setEnabled(race.accountId, false)).status).toBe(200);
      race.answer(200);
      const event = await stage.gateway.admin.eventually(race.id, (e) => e.delivery_status === 'delivered');
      expect(event).toMatchObject({ attempts: nth, last_error: null });
      expect(race.consumer.deliveries).toHaveLength(nth);
    });
  });

  test('an event whose account is disabled during an attempt gets no further one, and none is counted', async () => {
    const held = hold();
    const { consumer, id, accountId } = await stage.sent(held.reply, 200);
    await held.arrived;
    await stage.operate.setEnabled(accountId, false);
    held.answer(500);
    const event = await stage.gateway.admin.eventually(id, (e) => e.waits_for === 'account_disabled');
    expect(event).toMatchObject({ delivery_status: 'pending', attempts: 1, response_code: 500 });
    expect(consumer.deliveries).toHaveLength(1);
  });

  test('an event whose account is disabled during the last attempt gets no further attempt', async () => {
    const held = hold();
    const { id, accountId } = await stage.sent(...Array.from({ length: lastAttempt - 1 }, () => 500), held.reply);
    await held.arrived;
    await stage.operate.setEnabled(accountId, false);
    held.answer(500);
    const { outcome, event } = await settled(stage, id);
    expect(outcome).toBe('exhausted');
    expect(statesOf(event)).toBe('failed/failed');
    expect(attemptsOf(event)).toEqual(allFailed());
  });
});
