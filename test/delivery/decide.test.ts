import { describe, expect, test } from 'vitest';
import { type Asked, decide } from '../../src/delivery/attempt/decide.ts';
import { resultOf } from '../../src/delivery/attempt/outcome.ts';
import type { AttemptRow } from '../../src/events/attempt-row.ts';
import type { Outcome } from '../../src/events/outcome.ts';
import type { Recorded } from '../../src/events/transitions/attempt-recorded.ts';

const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000];
const nowMs = Date.parse('2026-11-20T12:00:00Z');
const schedule = {
  delaysMs: [10, 30, 60, 120, 300, 600, 1_200, 2_400, 4_800].map((s) => s * secondMs),
  timeLimitMs: 15 * secondMs,
  holdMs: minuteMs,
  holdLimitMs: 7 * dayMs,
};

const scheduled: Asked = { generation: 0, trigger: 'schedule', number: 2, schedule, claimToken: null, stalled: false };
const claimToken = '0199f3a0-0000-4000-8000-000000000000';
/** The relay requests it under its claim, and the row has that claim. */
const relayed = { row: { relayAttempting: true, claimToken }, asked: { ...scheduled, claimToken } };
const manual: Asked = { ...scheduled, trigger: 'manual', number: 1 };
const tenth: Asked = { ...scheduled, number: 10 };

type Changes = Partial<Omit<AttemptRow, 'account' | 'consumer'>> & {
  account?: Partial<AttemptRow['account']>;
  consumer?: Partial<AttemptRow['consumer']>;
};

function row({ account, consumer, ...changes }: Changes = {}): AttemptRow {
  return {
    eventId: '0199f3a0-0000-7000-8000-000000000000',
    generation: 0,
    nowMs: () => nowMs,
    readMs: 0,
    generationAt: new Date(nowMs - hourMs),
    status: 'enqueued',
    deliveryStatus: 'pending',
    nextAttemptAt: null,
    nextNumber: 2,
    heldSince: null,
    recordedOutcome: null,
    relayAttempting: false,
    claimToken: null,
    pause: null,
    resumedAt: null,
    provider: 'generic',
    accountSlug: 'shop',
    traceparent: null,
    eventType: null,
    externalId: 'one',
    requestId: '0199f3a0-0000-7000-8000-000000000000',
    backfilled: false,
    account: {
      id: '0199f3a0-0000-7000-8000-000000000001',
      enabled: true,
      deleted: false,
      pausedSince: null,
      consumer: null,
      sealedOptions: null,
      provider: 'generic',
      deliveryUrl: null,
      deliveryUrlCredentials: null,
      deliverySecret: null,
      projectDeliveryUrl: null,
      projectDeliveryUrlCredentials: null,
      signingSecretCurrent: null,
      signingSecretPrevious: null,
      providerConfig: null,
      projectDeliverySecret: null,
      ...account,
    },
    consumer: {
      ...{ id: '0199f3a0-0000-7000-8000-000000000002', name: 'billing', enabled: true, deleted: false },
      pausedSince: null,
      options: null,
      ...consumer,
    },
    headers: [],
    contentType: null,
    body: Buffer.alloc(0),
    bodyBytes: 4,
    ...changes,
  };
}

/** An attempt that was made, as it is recorded. */
const outcome = ({ generation, trigger, number, succeeded }: Asked & { succeeded: boolean }): Outcome => ({
  eventId: '0199f3a0-0000-7000-8000-000000000000',
  generation,
  trigger,
  number,
  startedAt: new Date(nowMs),
  durationMs: 1,
  outcome: succeeded ? 'delivered' : 'http_error',
  responseCode: succeeded ? 200 : 500,
  responseBody: null,
  error: succeeded ? null : 'HTTP 500',
  url: 'http://127.0.0.1/',
  succeeded,
  last: number > schedule.delaysMs.length,
  nextAttemptAt: succeeded ? null : new Date(nowMs + minuteMs),
  claimToken: null,
});

/** What the database answers when it has recorded an attempt. */
const recorded = (after: Pick<Recorded, 'generation' | 'status' | 'deliveryStatus'>): Recorded => ({
  recorded: true,
  exhausted: false,
  ownerDeleted: false,
  ...after,
});

const stopped = (reason: string) => ({ do: 'answer', result: { kind: 'stopped', reason } });
/** Stopped because the event is settled, with the status of its row. */
const settled = (deliveryStatus: string) => ({
  do: 'answer',
  result: { kind: 'stopped', reason: 'already_settled', deliveryStatus },
});
const waits = (waitsFor: string) => ({ do: 'queue', waitsFor });
const off = { enabled: false };
const gone = { deleted: true };

describe('an attempt that is due', () => {
  test.each<[string, Changes, Asked, unknown]>([
    ['is sent', {}, scheduled, { do: 'send' }],
    ['is sent although an operator marked the event as failed', { status: 'failed' }, scheduled, { do: 'send' }],
    ['stops for an ack', { status: 'processed', deliveryStatus: 'delivered' }, scheduled, stopped('acknowledged')],
    ['stops for dead', { status: 'dead', deliveryStatus: 'failed' }, scheduled, stopped('dead')],
    ['stops for a delivered event', { deliveryStatus: 'delivered' }, scheduled, settled('delivered')],
    ['stops for a newer generation', { generation: 1 }, scheduled, stopped('superseded')],
    [
      'stops for a generation that the database does not know',
      {},
      { ...scheduled, generation: 1 },
      stopped('superseded'),
    ],
    ['stops for a deleted account', { deliveryStatus: 'failed', account: gone }, scheduled, stopped('account_deleted')],
    ['ends for a deleted account', { account: gone }, scheduled, { do: 'end' }],
    ['by hand is sent', {}, manual, { do: 'send' }],
    ['by hand is sent for a delivered event', { deliveryStatus: 'delivered' }, manual, { do: 'send' }],
    [
      'by hand is sent for an acked event',
      { status: 'processed', deliveryStatus: 'delivered' },
      manual,
      { do: 'send' },
    ],
    ['by hand is sent for an exhausted event', { status: 'failed', deliveryStatus: 'failed' }, manual, { do: 'send' }],
    ['by hand is sent for an older generation', { generation: 1 }, manual, { do: 'send' }],
    [
      'by hand stops for a generation that the database does not know',
      {},
      { ...manual, generation: 1 },
      stopped('superseded'),
    ],
    ['by hand stops for dead', { status: 'dead', deliveryStatus: 'failed' }, manual, stopped('dead')],
    ['by hand stops for a deleted account', { account: gone }, manual, stopped('account_deleted')],
    ['by hand stops for a disabled account', { account: off }, manual, stopped('account_disabled')],
  ])('%s', (_, changes, asked, decision) => {
    expect(decide(row(changes), asked, nowMs)).toEqual(decision);
  });

  test('of the workflow waits while the relay makes the first attempt, and that of the relay does not wait', () => {
    expect(decide(row(relayed.row), scheduled, nowMs)).toMatchObject({ do: 'answer', result: { kind: 'wait' } });
    expect(decide(row(relayed.row), relayed.asked, nowMs)).toEqual({ do: 'send' });
  });

  test.each([
    ['ended', null],
    ['was taken over by another process', '0199f3a0-0000-4000-8000-000000000001'],
  ])('of the relay is not made when its lease %s before', (_, holder) => {
    const lost = row({ ...relayed.row, claimToken: holder });
    expect(decide(lost, relayed.asked, nowMs)).toEqual({
      do: 'answer',
      result: { kind: 'wait', waitMs: 0, reason: 'elsewhere' },
    });
  });
});

describe('after this process stalled, another one may make the attempt of a workflow:', () => {
  const stalled = { stalled: true };
  test.each([
    ['on schedule', scheduled],
    ['by hand', manual],
  ])('%s, it waits', (_, asked) => {
    expect(decide(row(), { ...asked, ...stalled }, nowMs)).toMatchObject({ do: 'answer', result: { kind: 'wait' } });
  });

  test('the relay, whose lease excludes other processes, does not wait', () => {
    expect(decide(row(relayed.row), { ...relayed.asked, ...stalled }, nowMs)).toEqual({ do: 'send' });
  });

  test('a recorded attempt is answered', () => {
    const delivered = row({ recordedOutcome: 'delivered', deliveryStatus: 'delivered' });
    expect(decide(delivered, { ...scheduled, ...stalled }, nowMs)).toMatchObject({ result: { kind: 'delivered' } });
  });
});

describe('an attempt that is already recorded is not repeated:', () => {
  const answer = (result: unknown) => ({ do: 'answer', result });
  const failed: Changes = { recordedOutcome: 'http_error' };
  const succeeded: Changes = { recordedOutcome: 'delivered' };
  const nextAttemptAt = new Date(nowMs + minuteMs);
  test.each<[string, Changes, Asked, unknown]>([
    ['delivered', { ...succeeded, deliveryStatus: 'delivered' }, scheduled, answer({ kind: 'delivered' })],
    ['failed', { ...failed, nextAttemptAt }, scheduled, answer({ kind: 'failed', waitMs: minuteMs })],
    ['failed long ago', { ...failed, nextAttemptAt: new Date(0) }, scheduled, answer({ kind: 'failed', waitMs: 0 })],
    [
      'the last',
      { ...failed, deliveryStatus: 'failed', nextNumber: 11 },
      tenth,
      answer({ kind: 'exhausted', attempted: true, endsAs: 'failed' }),
    ],
    [
      'the last after a final answer',
      { ...failed, deliveryStatus: 'failed', nextNumber: 4 },
      { ...scheduled, number: 3 },
      answer({ kind: 'exhausted', attempted: true, endsAs: 'failed' }),
    ],
    ['not the last', { ...failed, deliveryStatus: 'failed', nextNumber: 4 }, scheduled, settled('failed')],
    ['dead since', { ...failed, status: 'dead', deliveryStatus: 'failed' }, tenth, stopped('dead')],
    ['delivered too late', { ...succeeded, status: 'dead', deliveryStatus: 'failed' }, scheduled, stopped('dead')],
    ['replayed since', { ...failed, generation: 1 }, scheduled, stopped('superseded')],
    ['of a generation that the database does not know', failed, { ...scheduled, generation: 1 }, stopped('superseded')],
    ['by hand, failed', failed, manual, answer({ kind: 'failed', waitMs: 0 })],
    ['by hand, delivered', { ...succeeded, deliveryStatus: 'delivered' }, manual, answer({ kind: 'delivered' })],
    ['by hand, for an older generation', { ...succeeded, generation: 1 }, manual, stopped('superseded')],
  ])('%s', (_, changes, asked, decision) => {
    expect(decide(row(changes), asked, nowMs)).toEqual(decision);
  });
});

test('the last attempt is exhausted also when the answer of its record was lost', () => {
  const failed = { generation: 0, status: 'failed', deliveryStatus: 'failed' } as const;
  const result = resultOf(outcome({ ...tenth, succeeded: false }), { ...recorded(failed), recorded: false }, nowMs);
  expect(result).toMatchObject({ kind: 'exhausted', attempted: true, endsAs: 'failed', responseCode: 500 });
});

describe('an attempt that a replay has overtaken', () => {
  const pending = { status: 'enqueued', deliveryStatus: 'pending' } as const;
  test.each([
    ['is pending', pending, stopped('superseded')],
    ['is pending and marked as failed', { ...pending, status: 'failed' }, stopped('superseded')],
    ['was delivered', { status: 'enqueued', deliveryStatus: 'delivered' }, settled('delivered')],
    ['is exhausted', { status: 'failed', deliveryStatus: 'failed' }, settled('failed')],
    ['was acked', { status: 'processed', deliveryStatus: 'delivered' }, settled('delivered')],
    ['was killed', { status: 'dead', deliveryStatus: 'failed' }, settled('failed')],
  ] as const)('ends by the state of the replay, which %s: %o', (_, state, decision) => {
    const replayed: Changes = { ...state, generation: 1 };
    for (const asked of [scheduled, tenth]) {
      expect(decide(row(replayed), asked, nowMs), 'due').toEqual(decision);
      for (const recordedOutcome of ['delivered', 'http_error']) {
        expect(decide(row({ ...replayed, recordedOutcome }), asked, nowMs), 'repeated').toEqual(decision);
        const succeeded = recordedOutcome === 'delivered';
        const answer = { outcome: recordedOutcome, responseCode: succeeded ? 200 : 500, durationMs: 1 };
        expect(resultOf(outcome({ ...asked, succeeded }), recorded({ ...state, generation: 1 }), nowMs)).toEqual({
          ...answer,
          ...decision.result,
        });
      }
    }
  });
});

describe('while deliveries are paused', () => {
  const pause = { since: new Date(nowMs - minuteMs), reason: '' };
  const again = { do: 'answer', result: { kind: 'wait', waitMs: expect.any(Number), reason: 'paused' } };
  test.each<[string, Changes, Asked, unknown]>([
    ['an attempt of the schedule waits in the queue', {}, scheduled, waits('paused')],
    ['an attempt of the relay waits there', relayed.row, relayed.asked, waits('paused')],
    ['a manual attempt asks again, because only its workflow knows it', {}, manual, again],
    ['an event of a disabled account waits for the end of the pause', { account: off }, scheduled, waits('paused')],
    [
      'a recorded attempt returns its outcome',
      { recordedOutcome: 'delivered', deliveryStatus: 'delivered' },
      scheduled,
      {
        do: 'answer',
        result: { kind: 'delivered' },
      },
    ],
    [
      'an ack ends the schedule',
      { status: 'processed', deliveryStatus: 'delivered' },
      scheduled,
      stopped('acknowledged'),
    ],
    ['dead ends the schedule', { status: 'dead', deliveryStatus: 'failed' }, scheduled, stopped('dead')],
    ['dead ends a manual attempt', { status: 'dead', deliveryStatus: 'failed' }, manual, stopped('dead')],
    ['a replay ends the schedule', { generation: 1 }, scheduled, stopped('superseded')],
    ['a deleted account ends the schedule', { account: gone }, scheduled, { do: 'end' }],
    ['a disabled account ends a manual attempt', { account: off }, manual, stopped('account_disabled')],
  ])('%s', (_, changes, asked, decision) => {
    expect(decide(row({ ...changes, pause }), asked, nowMs)).toEqual(decision);
  });
});

describe('a manual attempt', () => {
  test.each<[string, (since: Date) => Changes]>([
    ['all deliveries are', (since) => ({ pause: { since, reason: '' } })],
    ['its account is', (pausedSince) => ({ account: { pausedSince } })],
    ['its consumer is', (pausedSince) => ({ consumer: { pausedSince } })],
  ])('asks the more seldom the longer %s paused, and within a minute', (_, paused) => {
    const waitMs = (lastedMs: number) => {
      const decision = decide(row(paused(new Date(nowMs - lastedMs))), manual, nowMs);
      const { result } = decision.do === 'answer' ? decision : {};
      return result?.kind === 'wait' && result.reason === 'paused' ? result.waitMs : 0;
    };
    expect(waitMs(0)).toBeLessThanOrEqual(secondMs);
    expect(waitMs(dayMs)).toBeGreaterThanOrEqual(40 * secondMs);
    expect(waitMs(dayMs)).toBeLessThanOrEqual(50 * secondMs);
  });
});

describe('an event of a disabled account', () => {
  test.each<[string, Changes, Asked]>([
    ['of a workflow', {}, scheduled],
    ['of the relay', relayed.row, relayed.asked],
    ['for the last time', {}, tenth],
    ['after any time', { heldSince: new Date(nowMs - 8 * dayMs) }, scheduled],
  ])('waits in the queue when an attempt %s is due', (_, changes, asked) => {
    expect(decide(row({ ...changes, account: off }), asked, nowMs)).toEqual(waits('account_disabled'));
  });

  test('is sent once the account is enabled, after any time', () => {
    expect(decide(row({ heldSince: new Date(nowMs - 8 * dayMs) }), scheduled, nowMs)).toEqual({ do: 'send' });
  });
});
