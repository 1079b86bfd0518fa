import { AuditLog } from '../../../src/audit/audit-log.ts';
import { BulkWorker } from '../../../src/events/bulk/bulk-worker.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { groupsOf } from '../../support/groups-of.ts';
import { log } from '../../support/runtime.ts';
import { rows } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { fillEvents, type StoredFields } from '../fill-events.ts';

const dayMs = 86_400_000;

/** The longest that a job of these tests may take, while other tests use all processors. */
export const jobLimitMs = 200_000;

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
type Json = any;

export const orderPath = '/admin/events/bulk';

/** Orders a job, and returns the answer's body. Throws unless it was accepted. */
export async function ordered(gateway: TestGateway, order: object): Promise<Json> {
  const { status, body } = await gateway.admin.post(orderPath, order);
  if (status !== 202) throw new Error(`the order was answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

export const readJob = async (gateway: TestGateway, id: string): Promise<Json> =>
  (await gateway.admin.request('GET', `${orderPath}/${id}`)).body;

/** The part of a worker that works on bulk jobs, alone: each `round` of it is one batch. */
export const bulkWorkerOf = ({ database, keyring }: TestGateway) =>
  new BulkWorker({ database, audit: new AuditLog({ database, keyring, log }), log });

/** Works on all jobs until they have ended, without a worker of the gateway. */
export async function workOff(gateway: TestGateway): Promise<void> {
  const worker = bulkWorkerOf(gateway);
  await until('no job is left', async () => {
    while ((await worker.round()) === 'more');
    const [left] = await gateway.rows('select 1 from bulk_jobs where ended_at is null limit 1');
    return left === undefined;
  });
}

/** Waits until a job has ended, and returns it. */
export function ended(gateway: TestGateway, id: string): Promise<Json> {
  return until(
    `the bulk job ${id} has ended`,
    async () => {
      const job = await readJob(gateway, id);
      return job.ended_at === null ? null : job;
    },
    jobLimitMs,
  );
}

/** Inserts events of the last `days` days, failed by default; they have payloads, so that they can be delivered. */
export async function events(
  gateway: TestGateway,
  account: { id: string },
  n: number,
  fields: Partial<StoredFields> = {},
  days = 5,
): Promise<string[]> {
  const ids = await fillEvents(
    gateway.database,
    Array.from({ length: n }, (_, i) => ({
      receivedAt: new Date(Date.now() - (i % days) * dayMs - i - 1_000),
      ...{ accountId: account.id, provider: 'generic', accountSlug: 'slug', appKey: 'app', eventType: null },
      ...{ externalId: `x-${i}`, status: 'failed' as const, deliveryStatus: 'failed' as const },
      ...{ attempts: 10, deliveredAt: null, nextAttemptAt: null },
      ...fields,
    })),
  );
  for (const group of groupsOf(ids, 1_000))
    await gateway.database.pool.query(
      `insert into event_payloads (event_id, headers, content_type, body) select id, '[]', 'application/json', '{}' from unnest($1::uuid[]) as t (id)`,
      [group],
    );
  return ids;
}

/** How many events there are of each generation. */
export const generations = async ({ database }: TestGateway) =>
  Object.fromEntries(
    (await rows(database, 'select generation, count(*)::integer as n from events group by 1 order by 1')).map(
      ({ generation, n }) => [generation, n],
    ),
  );

/** The audit entries of a job: of its order, and of its end. */
export const entriesOfJob = ({ database }: TestGateway, id: string) =>
  rows(
    database,
    `select actor, action, ip_address, details from audit_logs where details->>'job_id' = $1 and action <> 'event.bulk_read' order by id`,
    [id],
  );
