import { Elysia } from 'elysia';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import type { Database } from '../../database/database.ts';
import { afterOthers } from '../../database/retried.ts';
import type { CallLimit } from '../../http/admin/call-limit.ts';
import { nextPage } from '../../http/admin/next-page.ts';
import { cursor, defaultLimit, limit } from '../../http/admin/query-schemas.ts';
import { clientSignal } from '../../http/client-signal.ts';
import { noBody, noQuery, operation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { isId } from '../../shared/is-id.ts';
import type { ListFilters } from '../event-filters.ts';
import { readPause } from '../pause.ts';
import { auditedIds } from './audited-ids.ts';
import type { NewBulkJob } from './bulk-job.ts';
import * as rows from './bulk-rows.ts';
import { bulkDryRun, bulkJob, bulkJobWithIds, bulkOrder } from './bulk-schemas.ts';
import { progressOf } from './job-progress.ts';
import { countGiven, countLeftOut, countMatching, idsWithin, newestEvent } from './matching-events.ts';
import { countMs, orderJob } from './order-job.ts';
import { firstSliceMs, slicesOf } from './slices.ts';

const jobNotFound = () => new Problem('not_found', 'there is no bulk job with this id');

/** `/admin/events/bulk`: jobs that change many events. */
export function bulkRoutes(deps: { database: Database; calls: AdminCalls; counts: CallLimit; orders: CallLimit }) {
  const { database, calls, counts, orders } = deps;
  const days = slicesOf(database.readers, countMs);
  const dryRun = async (filter: ListFilters) => {
    const endMs = performance.now() + countMs;
    const matching = await countMatching(days, filter, countMs);
    return { ...matching, leftOut: await countLeftOut(days, filter, endMs - performance.now()) };
  };

  return new Elysia({ name: 'bulk', prefix: '/events' })
    .post(
      '/bulk',
      async ({ body, request, set }) => {
        const { action, filter = null, error = null, reason = null, dry_run = false } = body;
        const perSecond = body.per_second ?? null;
        const call = calls.of(request);
        const { accountIds } = call;
        const given = body.ids ? [...new Set(body.ids)].sort() : null;
        const ids = given && accountIds ? await idsWithin(database.reader, given, accountIds) : given;
        const shownFilter = filter && texts(filter);
        const selected = { action, ...(shownFilter ? { filter: shownFilter } : { ids: ids?.length ?? 0 }) };
        call.note({ ...selected, ...(perSecond === null ? {} : { per_second: perSecond }) });
        if (action === 'retry' && !dry_run && (await readPause(database)) !== null)
          throw new Problem('conflict', 'deliveries are paused; resume them first (POST /admin/delivery/resume)');
        const matching = filter && { ...filter, accountIds };
        if (dry_run) {
          const { matched, exact, leftOut } = matching
            ? await counts.run(clientSignal(request), () => dryRun(matching))
            : { matched: await countGiven(database.reader, ids ?? []), exact: true, leftOut: 0 };
          call.note({ dry_run, matched });
          return { dry_run: true as const, matched, exact, left_out: leftOut };
        }
        const counted =
          matching && (await orders.run(clientSignal(request), () => countMatching(days, matching, countMs)));
        const job: NewBulkJob = {
          ...{ id: uuidv7(), action, error, ids, filter: shownFilter },
          ...{ accountIds, orderedBy: call.actor, orderedFrom: call.ipAddress, orderReason: reason ?? error },
          total: counted ? (counted.exact ? counted.matched : null) : (ids?.length ?? 0),
          lastEvent: filter && (await newestEvent(database.reader)),
          ...{ sliceMs: firstSliceMs, perSecond },
        };
        const made = await orderJob(
          database,
          job,
          (sql) =>
            call.record(sql, 'event.bulk', {
              ...{ status: 202, job_id: job.id, total: job.total },
              ...(ids ? auditedIds(ids) : {}),
            }),
          // A double click, or a client that repeats a request whose answer was lost.
          (same) => `the running bulk job ${same} has the same order`,
        );
        set.status = 202;
        return rows.bulkJobView(made);
      },
      operation('event.bulk', {
        role: 'operate',
        scope: 'list',
        summary: 'Change many events',
        description:
          'Orders a job that replays, retries or acknowledges events, or declares them dead, each as the operation on one event does. Events that match are those that were received before the order, and that match when the job reaches them, oldest first. A filter without `status` and `state` leaves out those that a person has acknowledged or declared dead. A worker changes 200 in a transaction and at most about 1,000 a second; with `per_second` at most that many, and none while a pause holds up the next one. With `dry_run`, nothing is changed and the answer is 200 with the number of matching events. A token with a scope changes only events of its accounts: other ids are left out.',
        body: bulkOrder,
        query: noQuery,
        success: { 202: bulkJob, 200: bulkDryRun },
        answers: 'The job that was ordered (202), or what it would change (200)',
        errors: ['conflict', 'too_many_calls'],
        examples: { body: { action: 'replay', filter: { provider: 'generic', delivery_status: 'failed' } } },
      }),
    )
    .get(
      '/bulk',
      async ({ query, request, set }) => {
        const call = calls.of(request);
        call.note({ query });
        const { limit = defaultLimit, before = null } = query;
        const jobs = await rows.listBulkJobs(database.reader, { before, limit, accountIds: call.accountIds });
        const next = nextPage(request, '/admin/events/bulk', jobs, limit);
        if (next) set.headers.link = next;
        return jobs.map(rows.bulkJobView);
      },
      operation('event.bulk_list', {
        role: 'read',
        scope: 'list',
        summary: 'List bulk jobs',
        description:
          'Newest first. A job is deleted 30 days after its end. A token with a scope sees the jobs that tokens with a scope have ordered, and backfills, for its accounts.',
        body: noBody,
        query: z.strictObject({
          before: cursor.meta({ description: 'Cursor of the next page: only jobs older than the job with this id' }),
          limit,
        }),
        success: { 200: z.array(bulkJob) },
        headers: {
          Link: 'Address of the next page; absent if this page has fewer entries than `limit`: `</admin/events/bulk?…>; rel="next"`',
        },
      }),
    )
    .get(
      '/bulk/:job_id',
      async ({ params }) => {
        const job = isId(params.job_id) ? await rows.readBulkJob(database.reader, params.job_id) : null;
        if (!job) throw jobNotFound();
        return { ...rows.bulkJobView(job), ...(await progressOf(database.reader, job)) };
      },
      operation('event.bulk_read', {
        role: 'read',
        scope: 'path',
        summary: 'Get a bulk job, its progress and what became of its events',
        description: 'The results are counted at each call, in at most 40,000 events of the job, newest first.',
        body: noBody,
        query: noQuery,
        success: { 200: bulkJobWithIds },
        errors: ['not_found'],
      }),
    )
    .post(
      '/bulk/:job_id/stop',
      async ({ params, request, set }) => {
        const id = params.job_id;
        if (!isId(id)) throw jobNotFound();
        const call = calls.of(request);
        const stop = () =>
          database.transaction(async (sql) => {
            const job = await rows.stopBulkJob(sql, id);
            if (job) await call.record(sql, 'event.bulk_stop', { status: 202, job_id: id });
            return job;
          });
        const stopped = await afterOthers(stop);
        const job = stopped ?? (await rows.readBulkJob(database, id));
        if (!job) throw jobNotFound();
        if (!stopped && job.state !== 'stopping')
          throw new Problem('conflict', `the bulk job has ended already: it is ${job.state}`);
        set.status = 202;
        return rows.bulkJobView(job);
      },
      operation('event.bulk_stop', {
        role: 'operate',
        scope: 'path',
        summary: 'Stop a bulk job',
        description:
          'The worker completes the batch that it is working on, so that the job is `stopping` at first and `stopped` a moment later. Events that were changed stay changed.',
        body: noBody,
        query: noQuery,
        success: { 202: bulkJob },
        answers: 'The job is being stopped',
        errors: ['not_found', 'conflict'],
      }),
    );
}

/** The filter as it was meant, for answers, the audit log and the job's row: times in ISO 8601. */
function texts(filter: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)]),
  );
}
