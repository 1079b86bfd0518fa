import type { Sql } from '../../database/sql.ts';
import { countLateMessage, lateMs } from '../fold.ts';
import type { DashboardLinks } from '../links.ts';
import type { SummaryNotice } from '../notice.ts';
import { type ClaimedSummary, claimSummaries } from '../summary-store.ts';
import { readListed } from '../told-event.ts';
import { DueMessages } from './due-messages.ts';
import type { NotifierDeps } from './notifier.ts';
import { outcomesIn } from './outcomes.ts';

/** Sends summaries when they are due. */
export function createSummaries(deps: NotifierDeps): DueMessages<ClaimedSummary> {
  const { sql, waitsMs, leaseS, burstMs, links } = deps;
  return new DueMessages(deps, {
    ...{ poller: 'summaries of notifications', noun: 'summary', idField: 'summaryId' },
    ...outcomesIn(sql, 'notification_summaries'),
    claim: (limit) => claimSummaries(sql, { tries: waitsMs.length + 1, leaseS, limit }),
    since: ({ firstFailedAt }) => firstFailedAt,
    notice: (summary) => noticeOf(sql, summary, links),
    afterSent: (summary) => countLate(sql, summary, burstMs),
  });
}

/** A delayed summary counts for the burst limit at the time when it was sent. */
async function countLate(sql: Sql, summary: ClaimedSummary, burstMs: number | null): Promise<void> {
  const { settings, firstFailedAt } = summary;
  if (burstMs === null) return;
  // The time when the summary was due, at which it is counted so far.
  const failedAt = new Date(firstFailedAt.getTime() + burstMs);
  if (Date.now() - failedAt.getTime() > lateMs) await countLateMessage(sql, settings.id, { failedAt, burstMs });
}

async function noticeOf(sql: Sql, summary: ClaimedSummary, links: DashboardLinks): Promise<SummaryNotice> {
  const { account, firstReceivedAt: firstReceived, lastReceivedAt: lastReceived } = summary;
  const { provider, account_slug } = account;
  const listed = await readListed(sql, summary);
  return {
    kind: 'summary',
    id: summary.id,
    account,
    events: summary.events,
    since: summary.firstFailedAt,
    until: summary.lastFailedAt,
    first: listed.map(({ id, event_type, consumer, error }) => ({
      ...{ id, event_type, consumer, error: error ?? 'no reason was recorded' },
      dashboardUrl: links.event(id),
    })),
    dashboardUrl: links.failedEvents({ provider, account_slug, firstReceived, lastReceived }),
  };
}
