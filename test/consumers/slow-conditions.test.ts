import { randomUUID } from 'node:crypto';
import { RE2JS } from 're2js';
import { expect, test, vi } from 'vitest';
import { fillEvents } from '../events/fill-events.ts';
import { useGateway } from '../support/use-gateway.ts';
import { since } from './backfill-support.ts';
import { consumersOf } from './support.ts';

// Conditions that take some milliseconds for each webhook, on many: a call ends in time, and others are answered during it.

const gateway = useGateway({ worker: false, apiDelivers: false });

/** Stores webhooks of a new account, and returns its id. */
async function stored(webhooks: number): Promise<string> {
  const { id, provider, account_slug } = await gateway.admin.createAccount({ delivery_url: 'http://127.0.0.1:9/' });
  await fillEvents(
    gateway.database,
    Array.from({ length: webhooks }, () => ({
      ...{ receivedAt: new Date(), accountId: id, provider, accountSlug: account_slug, appKey: 'tests' },
      ...{ eventType: null, externalId: randomUUID(), status: 'enqueued', deliveryStatus: 'delivered', attempts: 1 },
      ...{ deliveredAt: new Date(), nextAttemptAt: null },
    })),
  );
  await gateway.database.pool.query('analyze events');
  return id;
}

/** Reads nothing but a variable, so that no statement of the database is between two webhooks. */
const slow = [400, 399]
  .map((times) => `matches(external_id, "(?:[0-9a-f-]?){${times}}[0-7][0-9a-f-]{36}[g-z]")`)
  .join(' or ');

/** Counts the turns of the event loop in which patterns are searched while a call is answered. */
async function turnsDuring<Answer>(call: () => Promise<Answer>): Promise<{ answer: Answer; turns: number }> {
  let turn = 0;
  let isAnswered = false;
  const countTurn = () => {
    turn++;
    if (!isAnswered) setImmediate(countTurn);
  };
  countTurn();
  const turns = new Set<number>();
  const search = RE2JS.prototype.test;
  const spy = vi.spyOn(RE2JS.prototype, 'test').mockImplementation(function (this: RE2JS, text) {
    turns.add(turn);
    return search.call(this, text);
  });
  try {
    return { answer: await call(), turns: turns.size };
  } finally {
    isAnswered = true;
    spy.mockRestore();
  }
}

test('a preview ends before it has examined all webhooks, and the event loop goes on during it', async () => {
  const webhooks = 1_000;
  const order = { condition: slow, account_id: await stored(webhooks), of: 'consumer' };
  const { answer, turns } = await turnsDuring(() => gateway.admin.post('/admin/conditions/preview', order));
  expect(answer).toMatchObject({ status: 200, body: { ok: true, matching: 0, events: [] } });
  expect(answer.body.examined).toBeGreaterThan(0);
  expect(answer.body.examined).toBeLessThan(webhooks);
  expect(turns).toBeGreaterThan(2);
});

test('the event loop goes on while a dry run of a backfill counts', async () => {
  const consumers = consumersOf(gateway, await stored(200));
  await consumers.made('late');
  const order = { since, condition: slow, dry_run: true };
  const { answer, turns } = await turnsDuring(() => consumers.backfill('late', order));
  expect(answer).toMatchObject({ status: 200, body: { matched: 0 } });
  expect(turns).toBeGreaterThan(2);
});
