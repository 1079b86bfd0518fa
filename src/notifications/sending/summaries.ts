import { databaseFailure } from '../../database/errors.ts';
import { readPause } from '../../events/pause.ts';
import { Poller, type Round } from '../../shared/poller.ts';
import { countLateMessage } from '../fold.ts';
import type { SummaryNotice } from '../notice.ts';
import {
  type ClaimedSummary,
  claimSummaries,
  postponeSummary,
  recordSummaryFailure,
  recordSummarySent,
} from '../summary-store.ts';
import { readListed } from '../told-event.ts';
import { handOver } from './hand-over.ts';
import type { NotifierDeps } from './notifier.ts';

/** Summaries are minutes late by design, and polling a nearly empty table is cheap. */
const pollMs = 500;
/** Concurrent summaries in this process: enough that destinations that do not respond do not delay the others. */
const mostAtOnce = 32;

/** Sends summaries when they are due. */
export class Summaries {
  readonly #deps: NotifierDeps;
  readonly #poller: Poller;
  readonly #ending = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
    this.#poller = new Poller({
      name: 'summaries of notifications',
      idleMs: pollMs,
      log: deps.log,
      work: () => this.#look(),
    });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#poller.stop();
    await Promise.all(this.#inFlight);
  }

  async #look(): Promise<Round> {
    const { sql, waitsMs, leaseS, metrics, log } = this.#deps;
    if (await readPause(sql)) return 'idle';
    const { claimed, failed } = await claimSummaries(sql, {
      ...{ tries: waitsMs.length + 1, leaseS },
      limit: mostAtOnce - this.#inFlight.size,
    });
    for (const type of failed) metrics.notificationTried(type, 'failed');
    for (const summary of claimed) {
      const sending: Promise<void> = this.#send(summary)
        .catch((error: unknown) =>
          log.warn({ summaryId: summary.id, failure: databaseFailure(error) }, 'summary not sent yet, retrying'),
        )
        .finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
    return 'idle';
  }

  async #send(summary: ClaimedSummary): Promise<void> {
    const { sql, slots } = this.#deps;
    const { id, attempt, settings, nowMs } = summary;
    const slot = slots.tryAcquire(settings.id);
    if ('waitMs' in slot) return postponeSummary(sql, id, { attempt, waitMs: slot.waitMs });
    try {
      const result = await handOver(
        this.#deps,
        {
          ids: { summaryId: id, destinationId: settings.id },
          attempt,
          settings,
          nowMs,
          notice: () => this.#notice(summary),
          sent: () => recordSummarySent(sql, id),
          failed: (failure) => recordSummaryFailure(sql, id, failure),
        },
        this.#ending.signal,
      );
      if (result.kind === 'again' && result.retryAfterMs !== null) slots.hold(settings.id, result.retryAfterMs);
      if (result.kind === 'sent') await this.#countLate(summary);
    } finally {
      slot.release();
    }
  }

  /** A summary that was retried counts for the burst limit at the time when it was sent. */
  async #countLate({ attempt, settings, firstFailedAt }: ClaimedSummary): Promise<void> {
    const { sql, burstMs } = this.#deps;
    if (burstMs === null || attempt === 1) return;
    // The time when the summary was due, at which it is counted so far.
    const failedAt = new Date(firstFailedAt.getTime() + burstMs);
    await countLateMessage(sql, settings.id, { failedAt, burstMs });
  }

  async #notice(summary: ClaimedSummary): Promise<SummaryNotice> {
    const { sql, links } = this.#deps;
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
}
