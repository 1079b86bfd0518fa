import type { Sql } from '../../src/database/database.ts';
import type { DashboardLinks } from '../../src/notifications/links.ts';
import type { SummaryNotice } from '../../src/notifications/notice.ts';
import {
  type ClaimedSummary,
  claimNextSummary,
  recordSummaryFailure,
  recordSummarySent,
} from '../../src/notifications/summary-store.ts';
import { readListed } from '../../src/notifications/told-event.ts';
import { type HandOverDeps, handOver } from './hand-over.ts';

/**
 * Sends the summary that has been due for longest, if there is one.
 *
 * @returns whether there was one.
 * @throws what the database throws; it is due again when the claim ends.
 */
export async function sendNextSummary(
  deps: HandOverDeps & { sql: Sql; links: DashboardLinks; leaseS: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { sql } = deps;
  const summary = await claimNextSummary(sql, deps.leaseS);
  if (!summary) return false;
  const { id, attempt, settings } = summary;
  await handOver(
    deps,
    {
      ids: { summaryId: id, destinationId: settings.id },
      attempt,
      settings,
      notice: () => noticeOf(deps, summary),
      sent: () => recordSummarySent(sql, id),
      failed: (failure) => recordSummaryFailure(sql, id, failure),
    },
    signal,
  );
  return true;
}

async function noticeOf(
  { sql, links }: { sql: Sql; links: DashboardLinks },
  summary: ClaimedSummary,
): Promise<SummaryNotice> {
  const { account, firstReceivedAt: firstReceived, lastReceivedAt: lastReceived } = summary;
  const { provider, account_slug } = account;
  const listed = await readListed(sql, summary.firstEventIds);
  return {
    kind: 'summary',
    id: summary.id,
    account,
    events: summary.events,
    since: summary.firstFailedAt,
    until: summary.lastFailedAt,
    first: listed.map(({ id, event_type, last_error }) => ({
      ...{ id, event_type, error: last_error ?? '' },
      dashboardUrl: links.event(id),
    })),
    dashboardUrl: links.failedEvents({ provider, account_slug, firstReceived, lastReceived }),
  };
}
