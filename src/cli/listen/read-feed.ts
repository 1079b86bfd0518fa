import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from '../exit.ts';
import { withTimeLimit } from '../limited-signal.ts';
import type { FeedChoice } from './feed-options.ts';
import { type FeedPage, fetchPage, Interrupted, type Place } from './feed-page.ts';

/** Events of a page: enough for a quick catch-up, and few enough to be handled again after a crash. */
const pageLimit = 100;
/** How long the gateway holds a call open while there is no event. */
const waitS = 20;
/**
 * Twice the wait. A connection that was silent for so long is dead: a network has changed, or a computer has slept. Each part
 * of a page restarts the limit, because a slow line needs more time for the whole page.
 */
const usualSilenceMs = 40_000;
const firstBackoffMs = 500;
/** Short, because a person waits for the gateway to be back. */
const longestBackoffMs = 5_000;

export interface ReadFeedOptions extends Pick<FeedChoice, 'connection' | 'filter' | 'giveUpMs'> {
  start: Place;
  /** Wait for events when there is nothing more now. */
  follow: boolean;
  signal: AbortSignal;
  /** Shorter in tests. */
  silenceMs?: number;
}

/** What happens while a feed is read. */
export type FeedNews =
  | { kind: 'connected' }
  | { kind: 'reconnecting'; reason: string }
  | { kind: 'page'; page: FeedPage };

/**
 * Reads the feed until the signal is aborted, and goes on from the last cursor after each interruption. The next page is
 * read when the caller asks for it, so at most one is in memory.
 *
 * @throws CliError for a call that the gateway refuses, and when the gateway was away for too long
 */
export async function* readFeed(options: ReadFeedOptions): AsyncGenerator<FeedNews> {
  const { connection, filter, start, follow, giveUpMs, signal, silenceMs = usualSilenceMs } = options;
  const { cursor, since } = start;
  let place: Place = cursor === undefined ? (since === undefined ? {} : { since }) : { cursor };
  // The audit log has an entry for each call without a cursor: also a session that goes on begins with one.
  let opened = cursor === undefined;
  let connected = false;
  let failures = 0;
  let awaySinceMs = 0;
  while (!signal.aborted) {
    const wait = connected && follow ? { wait: `${waitS}s` } : {};
    let page: FeedPage;
    try {
      page = await withTimeLimit(
        { limitMs: silenceMs, signal, what: `nothing has come for ${silenceMs / 1000} s` },
        (limited, restart) =>
          fetchPage(connection, filter, opened ? { ...place, ...wait, limit: pageLimit } : { limit: 1 }, {
            signal: limited,
            onPart: restart,
          }),
      );
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Interrupted)) throw error;
      if (failures === 0) awaySinceMs = performance.now();
      const leftMs = giveUpMs === null ? Number.POSITIVE_INFINITY : awaySinceMs + giveUpMs - performance.now();
      if (leftMs <= 0) throw givenUp(error, giveUpMs);
      if (failures === 0) yield { kind: 'reconnecting', reason: error.message };
      connected = false;
      failures++;
      await sleep(Math.min(backoffMs(failures), leftMs), undefined, { signal }).catch(() => undefined);
      continue;
    }
    if (!connected) yield { kind: 'connected' };
    connected = true;
    failures = 0;
    if (!opened) {
      opened = true;
      continue;
    }
    yield { kind: 'page', page };
    place = { cursor: page.cursor };
  }
}

const givenUp = ({ message }: Interrupted, giveUpMs: number | null) =>
  new CliError(
    exitCodes.failed,
    giveUpMs ? `the gateway was away for ${giveUpMs / 1000} s, the limit of --give-up: ${message}` : message,
    'Check the address (--url, GATEWAY_URL or the profile), and that the gateway runs: GET /health/ready answers 200. --resume goes on where this session stopped.',
  );

function backoffMs(failures: number): number {
  const usualMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (failures - 1));
  // Many listeners of one gateway do not all come back at once.
  return usualMs * (0.5 + Math.random() / 2);
}
