import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { readActions } from '../http/admin/actions.ts';
import { CallLimit } from '../http/admin/call-limit.ts';
import { nextPage } from '../http/admin/next-page.ts';
import { cursor, defaultLimit, limit, optionalInteger, textFilter, time } from '../http/admin/query-schemas.ts';
import type { LongCall } from '../http/long-answer.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import type { Log } from '../shared/log.ts';
import type { AdminCalls } from './admin-calls.ts';
import * as schemas from './audit-schemas.ts';
import { longAdminCall } from './long-admin-call.ts';
import { type AuditFilter, listAuditLogs } from './query.ts';
import { auditStatistics } from './statistics.ts';
import type { NotedPoint, Verification, VerificationProgress } from './verify.ts';

const listQuery = z
  .strictObject({
    actor: textFilter,
    action: textFilter,
    ip_address: textFilter,
    event_id: cursor.meta({
      description:
        'Only entries about this event or rejected webhook. A check of a rejected webhook is about it, and about the event that it has made or found. Bulk jobs and replays of all failed events have one entry for all events',
    }),
    reads: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: '`false` leaves out calls that only read; only with `event_id`' }),
    wrong_tokens: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: '`false` leaves out calls without a valid token, and their summaries' }),
    since: time.meta({ description: 'Only entries created after this time' }),
    until: time.meta({ description: 'Only entries created before this time' }),
    before: cursor.meta({ description: 'Cursor of the next page: only entries older than the entry with this id' }),
    limit,
  })
  // Without an event, the list might pass millions of reads before it finds a page of changes.
  .refine(({ reads, event_id }) => reads !== 'false' || event_id !== undefined, {
    path: ['reads'],
    message: 'can only be false together with event_id',
  });

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** A head that was noted earlier: `<seq>:<seal in hex>`, as shown by the verification and the log. */
const notedHead = z
  .string()
  .regex(/^[1-9]\d{0,14}:[0-9a-f]{64}$/, 'must be <seq>:<seal>, as shown by an earlier verification')
  .transform((text): NotedPoint => {
    const [seq = '', seal = ''] = text.split(':');
    return { seq: Number(seq), seal };
  })
  .optional()
  .meta({
    description:
      'Head of an earlier verification, as `<seq>:<seal>`. The verification fails if the chain does not contain it',
    override: { type: 'string', pattern: '^[1-9]\\d{0,14}:[0-9a-f]{64}$' },
  });

/** One at a time in each process: each reads the whole log, or holds its lock. Clients may wait minutes, so few may. */
const limits = { atOnce: 1, maxWaiting: 7 };
const streams =
  'With `Accept: text/event-stream`, the answer is a stream of `progress` messages that ends with `result` or `problem`. The call ends when its client closes the connection.';

export interface LongAuditCalls {
  verifyAuditLogs(call: LongCall<VerificationProgress>, head: NotedPoint | undefined): Promise<Verification>;
  /** Deletes old entries and writes its own audit entries. Returns the number of deleted entries. */
  purgeAuditLogs(
    call: LongCall<{ deleted: number }>,
    options: { olderThanDays: number; actor: string; ipAddress: string },
  ): Promise<number>;
}

/** `/admin/audit-logs` (R72, R73). */
export function auditLogRoutes(
  deps: LongAuditCalls & { database: Database; calls: AdminCalls; draining: AbortSignal; log: Log },
) {
  const { database, calls } = deps;
  const verifications = new CallLimit({ kind: 'verifications', ...limits });
  const purges = new CallLimit({ kind: 'purges', ...limits });
  return new Elysia({ name: 'audit-logs', prefix: '/audit-logs' })
    .get(
      '/',
      async ({ query, request, set }) => {
        calls.of(request).note({ query });
        const { limit = defaultLimit, reads, wrong_tokens, ...others } = query;
        const filter: AuditFilter = {
          ...{ ...others, limit, without: reads === 'false' ? readActions : undefined },
          withoutWrongTokens: wrong_tokens === 'false',
        };
        const entries = await listAuditLogs(database.reader, filter);
        const next = nextPage(request, '/admin/audit-logs', entries, limit);
        if (next) set.headers.link = next;
        return entries.map((entry) => ({ ...entry, timestamp: entry.timestamp.toISOString() }));
      },
      operation('audit.list', {
        role: 'read',
        summary: 'List audit log entries',
        description:
          'Newest first. An entry must match all filters. The `Link` header has the address of the next page.',
        body: noBody,
        query: listQuery,
        success: { 200: z.array(schemas.auditEntry) },
        headers: {
          Link: 'Address of the next page; absent if this page has fewer entries than `limit`: `</admin/audit-logs?…>; rel="next"`',
        },
      }),
    )
    .get(
      '/stats',
      async () => {
        const { oldest, newest, ...counts } = await auditStatistics(database.reader);
        return { ...counts, oldest: iso(oldest), newest: iso(newest) };
      },
      operation('audit.stats', {
        role: 'read',
        summary: 'Get statistics of the audit log',
        body: noBody,
        query: noQuery,
        success: { 200: schemas.auditStats },
      }),
    )
    .get(
      '/verify',
      async ({ query, request }) =>
        longAdminCall(deps, request, {
          action: 'audit.verify',
          run: (long: LongCall<VerificationProgress>) =>
            verifications.run(long.signal, async () => {
              const found = await deps.verifyAuditLogs(long, query.head);
              const { ok, checked } = found;
              await calls.of(request).record(database, 'audit.verify', { status: 200, ok, checked });
              return found;
            }),
        }),
      operation('audit.verify', {
        role: 'read',
        summary: 'Verify the audit log',
        description:
          'Checks the chain of seals, and returns the first entry that was changed, is missing, or was not written by the gateway. `progress` has `checked` and `of`, numbers of entries. ' +
          streams,
        body: noBody,
        query: z.strictObject({ head: notedHead }),
        success: { 200: schemas.auditVerification },
        streams: true,
        errors: ['too_many_calls', 'stopping'],
      }),
    )
    .delete(
      '/',
      async ({ query, request }) => {
        const call = calls.of(request);
        const { older_than_days: olderThanDays = 90 } = query;
        const { actor, ipAddress } = call;
        return longAdminCall(deps, request, {
          action: 'audit.purge',
          run: (long: LongCall<{ deleted: number }>) =>
            purges.run(long.signal, async () => ({
              deleted: await deps.purgeAuditLogs(long, { olderThanDays, actor, ipAddress }),
            })),
        });
      },
      operation('audit.purge', {
        role: 'admin',
        summary: 'Purge the audit log',
        description: `Deletes entries older than \`older_than_days\`, 20,000 at a time. The remaining entries can still be verified. \`progress\` has \`deleted\`. ${streams}`,
        body: noBody,
        query: z.strictObject({
          older_than_days: optionalInteger(7, 36_500, 90),
        }),
        success: { 200: schemas.purged },
        streams: true,
        errors: ['too_many_calls', 'stopping'],
      }),
    );
}
