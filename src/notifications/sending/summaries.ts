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

/** Summaries come minutes late anyhow; a look at a nearly empty table costs nothing. */
const lookMs = 500;
/** At once in this process, so that destinations that do not answer keep no others waiting. */
const mostAtOnce = 32;

/** Sends summaries when their time has come. */
export class Summaries {
  readonly #deps: NotifierDeps;
  readonly #poller: Poller;
  readonly #ending = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
    this.#poller = new Poller({
      name: 'summaries of notifications',
      idleMs: lookMs,
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
    const { sql, leaseS, log } = this.#deps;
    if (await readPause(sql)) return 'idle';
    for (const summary of await claimSummaries(sql, { leaseS, limit: mostAtOnce - this.#inFlight.size })) {
      const sending: Promise<void> = this.#send(summary)
        .catch((error: unknown) =>
          log.warn({ summaryId: summary.id, failure: databaseFailure(error) }, 'a summary could not be sent yet'),
        )
        .finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
    return 'idle';
  }

  async #send(summary: ClaimedSummary): Promise<void> {
    const { sql, turns } = this.#deps;
    const { id, attempt, settings } = summary;
    const turn = turns.enterInPassing(settings.id);
    if ('waitMs' in turn) return postponeSummary(sql, id, { attempt, waitMs: turn.waitMs });
    try {
      const result = await handOver(
        this.#deps,
        {
          ids: { summaryId: id, destinationId: settings.id },
          attempt,
          settings,
          notice: () => this.#notice(summary),
          sent: () => recordSummarySent(sql, id),
          failed: (failure) => recordSummaryFailure(sql, id, failure),
        },
        this.#ending.signal,
      );
      if (result.kind === 'again' && result.retryAfterMs !== null) turns.hold(settings.id, result.retryAfterMs);
      if (result.kind === 'sent') await this.#countLate(summary);
    } finally {
      turn.leave();
    }
  }

  /** One that was tried again counts for the burst limit from when it arrived. */
  async #countLate({ attempt, settings, firstFailedAt }: ClaimedSummary): Promise<void> {
    const { sql, burstMs } = this.#deps;
    if (burstMs === null || attempt === 1) return;
    // When it was due, which is what was counted.
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
      first: listed.map(({ id, event_type, error }) => ({
        ...{ id, event_type, error: error ?? 'no reason was recorded' },
        dashboardUrl: links.event(id),
      })),
      dashboardUrl: links.failedEvents({ provider, account_slug, firstReceived, lastReceived }),
    };
  }
}
