import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Random } from '../faults/random.ts';
import { firstAttemptsBy } from '../support/first-attempts.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';
import { type RandomWebhook, randomWebhook } from './property-model.ts';
import { ChangingAccount, type Yield } from './property-run.ts';

// For random consumers, conditions and webhooks, also while the consumers are changed, each webhook yields the events of
// the consumers of one moment, and a backfill adds one for each that has none (docs/several-consumers.md). PROPERTY_SEED
// repeats a run.

const given = process.env.PROPERTY_SEED;
const seed = given === undefined ? randomInt(1_000_000) : Number(given);
const accounts = 5;
const webhooksOfAccount = 40;
/** After its webhooks, an account that is changed has so many backfills, with so many changes before each. */
const [lateBackfills, changesBefore] = [3, 3];

/** A webhook and its first answer. */
interface Sent {
  webhook: RandomWebhook;
  id: string;
  fromMs: number;
  untilMs: number;
}

interface StoredEvent {
  id: string;
  request_id: string | null;
  consumer_id: string | null;
  delivery_status: string | null;
  skipped_reason: string | null;
  last_error: string | null;
  generation: number;
  unmatched: string[] | null;
  backfilled_at: Date | null;
}

describe.each(firstAttemptsBy)('first attempts by %s', (_, apiDelivers) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers });

  /** Sends webhooks to an account, some of them again, while its consumers are changed. */
  async function runAccount(random: Random, account: ChangingAccount, { changes }: { changes: boolean }) {
    const { gateway, operate } = stage;
    const all: Sent[] = [];
    /** By the id of an event, whether its replay was accepted. */
    const replays = new Map<string, boolean>();
    const send = async ({ body, headers }: RandomWebhook) => {
      const fromMs = performance.now();
      const answer = await gateway.send(account.address, body, headers);
      expect(answer.status, JSON.stringify(answer.body)).toBe(202);
      return { body: answer.body, fromMs, untilMs: performance.now() };
    };
    const sender = async (own: Random, name: number) => {
      for (let n = 0; n < webhooksOfAccount / 4; n++) {
        const webhook = randomWebhook(own, `${name}-${n}`);
        const { body, ...times } = await send(webhook);
        expect(body.duplicate).toBe(false);
        all.push({ webhook, id: body.id, ...times });
        if (own.chance(0.3)) {
          const again = own.pick(all.filter((one) => one.webhook.hasId).concat(all));
          const { body: second, ...secondTimes } = await send(again.webhook);
          if (again.webhook.hasId) expect(second).toMatchObject({ id: again.id, duplicate: true });
          else all.push({ webhook: again.webhook, id: second.id, ...secondTimes });
        }
        if (own.chance(0.2)) {
          const events = await eventsOf(own.pick(all).id);
          const event = own.pick(events);
          // Once, because a second replay may overtake the first one.
          if (event.delivery_status === 'delivered' && !replays.has(event.id)) {
            replays.set(event.id, false);
            const { status } = await operate.replay(event.id);
            replays.set(event.id, status < 300);
          }
        }
      }
    };
    const sending = Promise.all([0, 1, 2, 3].map((n) => sender(new Random(random.between(0, 2 ** 32)), n)));
    const changer = async () => {
      let isOver = false;
      void sending
        .catch(() => undefined)
        .then(() => {
          isOver = true;
        });
      while (changes && !isOver) {
        await account.change(random);
        await sleep(random.between(0, 8));
      }
    };
    await Promise.all([sending, changer()]);
    for (let n = 0; n < (changes ? lateBackfills : 1); n++) {
      for (let m = 0; changes && m < changesBefore; m++) await account.change(random);
      const made = await account.backfill(random.pick(account.now.consumers), true);
      // A backfill adds none for a consumer that was not changed since all webhooks were sent, or since its last backfill.
      for (const count of changes ? made.slice(1) : made) expect(count, `PROPERTY_SEED=${seed}`).toBe(0);
    }
    return { all, replays };
  }

  const eventsOf = (requestId: string): Promise<StoredEvent[]> =>
    stage.gateway.rows(
      `select e.id, request_id, consumer_id, delivery_status, skipped_reason, last_error, generation, unmatched, backfilled_at
       from events e left join event_payloads p on p.event_id = e.id where coalesce(request_id, e.id) = $1 order by e.id`,
      [requestId],
    ) as Promise<unknown> as Promise<StoredEvent[]>;

  /** The consumers of the events with which a webhook was stored, and of those that backfills made. */
  const yieldOfRows = (accountId: string, rows: StoredEvent[]): { found: Yield; late: string[] } => {
    const first = rows.find((row) => row.request_id === null);
    const idsOf = (isLate: boolean) =>
      rows
        .filter((row) => row.skipped_reason === null && (row.backfilled_at !== null) === isLate)
        .map((row) => row.consumer_id ?? accountId)
        .sort();
    return { found: { events: idsOf(false), unmatched: (first?.unmatched ?? []).toSorted() }, late: idsOf(true) };
  };

  test.each([
    ['that stay', false],
    ['that are changed at random', true],
  ])(
    'each webhook yields the events of consumers %s, and a backfill those that are missing',
    { timeout: 400_000 },
    async (_, changes) => {
      const consumer = await stage.consumer();
      const runs = await Promise.all(
        Array.from({ length: accounts }, async (_, n) => {
          const random = new Random(seed + n);
          const url = (name: string) => consumer.url.replace('/hook', `/${n}/${name}`);
          const account = await ChangingAccount.create(random, stage.gateway.admin, url);
          return { account, ...(await runAccount(random, account, { changes })) };
        }),
      );
      for (const { account } of runs) await account.release();
      await until(
        'all events are settled',
        async () => {
          const left = await stage.gateway.rows(
            `select id from events where delivery_status = 'pending' union select event_id from event_queue`,
          );
          return left.length === 0;
        },
        200_000,
      );
      for (const { account, all, replays } of runs) {
        const seen = Map.groupBy(consumer.deliveries, ({ headers }) => String(headers['webhook-id']));
        for (const { webhook, id, fromMs, untilMs } of all) {
          const rows = await eventsOf(id);
          const possible = account.possible(webhook, fromMs, untilMs);
          const { found, late } = yieldOfRows(account.id, rows);
          const { certain, possible: allowed } = account.backfills.of(webhook, fromMs, untilMs);
          const facts = `PROPERTY_SEED=${seed}: ${JSON.stringify({ id, webhook, rows, certain: [...certain], allowed: [...allowed], moments: account.moments(fromMs, untilMs) })}`;
          expect(possible, facts).toContainEqual(found);
          // Each consumer has at most one event. Backfills made those that were missing, and no other ones.
          const got = [...found.events, ...late];
          expect(got.length, facts).toBe(new Set(got).size);
          expect(new Set(got).isSupersetOf(certain), facts).toBe(true);
          expect(new Set(late).isSubsetOf(allowed), facts).toBe(true);
          // The first event has the id of the webhook, and all have its millisecond.
          expect(
            rows.filter((row) => row.request_id === null).map((row) => row.id),
            facts,
          ).toEqual([id]);
          expect(new Set(rows.map((row) => row.id.slice(0, 13))), facts).toEqual(new Set([id.slice(0, 13)]));
          if (found.events.length === 0)
            expect(
              rows.filter((row) => row.backfilled_at === null),
              facts,
            ).toMatchObject([{ delivery_status: null, skipped_reason: 'no_consumer_matched' }]);
          for (const row of rows) {
            const payload = await fetch(`${stage.gateway.baseUrl}/admin/events/${row.id}/payload`, {
              headers: { 'x-admin-token': stage.gateway.adminToken },
            });
            expect([payload.status, Buffer.from(await payload.arrayBuffer()).toString()], facts).toEqual([
              200,
              webhook.body,
            ]);
            if (row.skipped_reason !== null) {
              expect(seen.get(row.id), facts).toBeUndefined();
              continue;
            }
            const deliveries = seen.get(row.id) ?? [];
            for (const { headers, body, url } of deliveries) {
              expect(headers['x-webhook-request-id'], facts).toBe(id);
              expect(headers['x-webhook-backfill'], facts).toBe(row.backfilled_at === null ? undefined : 'true');
              expect(body.toString(), facts).toBe(webhook.body);
              expect(account.urlOf(row.consumer_id), facts).toBe(url);
            }
            const isGone = row.consumer_id !== null && account.deleted.has(row.consumer_id);
            const orders = replays.get(row.id) ? 2 : 1;
            if (row.delivery_status === 'delivered' && !isGone && row.consumer_id !== null)
              expect(deliveries.length, facts).toBe(orders);
            else if (row.delivery_status === 'delivered') expect(deliveries.length, facts).toBeGreaterThan(0);
            else if (isGone) expect(row.last_error, facts).toBe('consumer_deleted');
            else expect([row.consumer_id, row.last_error], facts).toEqual([null, 'the account has no delivery URL']);
          }
        }
      }
    },
  );
});
