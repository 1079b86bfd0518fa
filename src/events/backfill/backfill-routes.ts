import { Elysia } from 'elysia';
import { v7 as uuidv7 } from 'uuid';
import { accountNotFound, existingAccountId } from '../../accounts/account-routes.ts';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import type { Consumer } from '../../consumers/consumer.ts';
import { consumerNotFound } from '../../consumers/consumer-routes.ts';
import type { ConsumerStore } from '../../consumers/consumer-store.ts';
import type { Database } from '../../database/database.ts';
import type { CallLimit } from '../../http/admin/call-limit.ts';
import { clientSignal } from '../../http/client-signal.ts';
import { noQuery, operation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { fieldsInWords } from '../../shared/plain-words.ts';
import type { NewBulkJob } from '../bulk/bulk-job.ts';
import { bulkJobView } from '../bulk/bulk-rows.ts';
import { bulkJob } from '../bulk/bulk-schemas.ts';
import { countMs, orderJob } from '../bulk/order-job.ts';
import { firstSliceMs, slicesOf } from '../bulk/slices.ts';
import { readEventRows } from '../event.ts';
import { eventItem } from '../event-view.ts';
import { backfillDryRun, backfillOrder, defaultPerSecond } from './backfill-schemas.ts';
import { type Refusal, readTarget } from './backfill-target.ts';
import { countMissing, spanOf } from './missing-webhooks.ts';

/** Events that a dry run shows: enough to see whether a condition selects what was meant. */
const mostShown = 20;

const refusals: Record<Refusal, () => Problem> = {
  account_deleted: accountNotFound,
  consumer_deleted: consumerNotFound,
  account_disabled: () => new Problem('conflict', 'the account is disabled; enable it first'),
  consumer_disabled: () => new Problem('conflict', 'the consumer is disabled; enable it first'),
  no_address: () => new Problem('conflict', 'the consumer has no address; set the delivery_url of the account first'),
};

/** The times of an order. A webhook that is received after it is judged when it is received. */
function timesOf(order: { since: Date; until?: Date | undefined }): { since: Date; until: Date } {
  const now = new Date();
  const { since, until = now } = order;
  const errors = [
    ...(since >= now ? [{ path: 'since', message: 'must be in the past' }] : []),
    ...(order.until && since >= until ? [{ path: 'until', message: 'must be after since' }] : []),
  ];
  if (errors.length > 0) throw new Problem('invalid', fieldsInWords(errors), { errors });
  // Ids have no time before 1970.
  return { since: new Date(Math.max(0, since.getTime())), until: until < now ? until : now };
}

/** `POST /admin/accounts/{account_id}/consumers/{consumer}/backfill`: events of webhooks that were stored before. */
export function backfillRoutes(deps: {
  database: Database;
  consumers: Pick<ConsumerStore, 'list'>;
  calls: AdminCalls;
  counts: CallLimit;
  orders: CallLimit;
}) {
  const { database, consumers, calls, counts, orders } = deps;
  const readers = { reader: database.reader, slices: slicesOf(database.readers, countMs) };

  const existing = async (accountId: string, name: string): Promise<Consumer> => {
    const all = await consumers.list(accountId);
    if (!all) throw accountNotFound();
    const consumer = all.find((one) => one.name === name);
    if (!consumer) throw consumerNotFound();
    return consumer;
  };

  return new Elysia({ name: 'backfills', prefix: '/accounts/:account_id/consumers' }).post(
    '/:consumer/backfill',
    async ({ params, body, request, set }) => {
      const call = calls.of(request);
      const accountId = existingAccountId(params.account_id);
      const consumer = await existing(accountId, params.consumer);
      const { since, until } = timesOf(body);
      const { condition = null, per_second: perSecond = defaultPerSecond, dry_run = false } = body;
      const filter = { since: since.toISOString(), until: until.toISOString() };
      call.note({ ...filter, condition, per_second: perSecond, ...(dry_run ? { dry_run } : {}) });
      const target = { accountId, consumerId: consumer.id };
      const state = await readTarget(database, target);
      if (state.refusal !== null && !dry_run) throw refusals[state.refusal]();
      const { first, last } = spanOf({ since, until });
      const { matched, exact, ...found } = await (dry_run ? counts : orders).run(clientSignal(request), () =>
        countMissing(
          readers,
          { ...target, since, conditions: [state.condition, condition] },
          { next: first, last, sliceMs: firstSliceMs },
          { timeMs: countMs, shown: mostShown },
        ),
      );
      if (dry_run) {
        call.note({ matched });
        const events = (await readEventRows(database.reader, found.first)).map(eventItem);
        return { dry_run: true as const, matched, exact, events };
      }
      const job: NewBulkJob = {
        ...{ id: uuidv7(), action: 'backfill', error: null, ids: null, filter },
        ...{ accountIds: null, orderedBy: call.actor, orderedFrom: call.ipAddress },
        total: exact ? matched : null,
        ...{ firstEvent: first, lastEvent: last, sliceMs: firstSliceMs, perSecond },
        backfill: { ...target, consumer: consumer.name, condition },
      };
      const made = await orderJob(
        database,
        job,
        (sql) => call.record(sql, 'consumer.backfill', { status: 202, job_id: job.id, total: job.total }),
        (same) => `the bulk job ${same}, a backfill of this consumer, has not ended yet; wait for it, or stop it`,
      );
      set.status = 202;
      return bulkJobView(made);
    },
    operation('consumer.backfill', {
      role: 'operate',
      scope: 'path',
      summary: 'Make events of stored webhooks',
      description:
        'Orders a job that makes an event for each stored webhook of the account for which the consumer has none and for which its condition holds, oldest first. Webhooks that were rejected are left out. They are delivered after new events. The job is one of those at `/admin/events/bulk`, with its progress and stop. With `dry_run`, nothing is changed and the answer is 200 with the number of webhooks and the oldest of them.',
      body: backfillOrder,
      query: noQuery,
      success: { 202: bulkJob, 200: backfillDryRun },
      answers: 'The job that was ordered (202), or what it would make (200)',
      errors: ['not_found', 'conflict', 'too_many_calls'],
      examples: {
        body: { since: '2026-01-01T00:00:00Z', condition: 'event_type.startswith("invoice.")', per_second: 20 },
      },
    }),
  );
}
