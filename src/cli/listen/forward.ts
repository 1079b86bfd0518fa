import { type DroppedHeaders, droppedHeaders } from '../../delivery/dropped-headers.ts';
import { deliveryHeaders } from '../../delivery/headers.ts';
import { signDelivery } from '../../delivery/signature.ts';
import { post } from '../post.ts';
import type { FeedItem } from './feed-page.ts';
import { type Route, routeOf } from './routes.ts';

/** Twice the gateway's own default: a local server may stand at a breakpoint. */
const timeLimitMs = 30_000;

/** What the local server answered. */
export interface LocalAnswer {
  /** Null: there is no route for the event. */
  url: string | null;
  /** Null: there was no answer. */
  status: number | null;
  /** Why there was none, such as `ECONNREFUSED`. */
  error: string | null;
  ms: number;
}

const notForwarded: LocalAnswer = { url: null, status: null, error: null, ms: 0 };

/** Posts events to local servers. */
export class Forwarder {
  readonly #routes: readonly Route[];
  readonly #secret: string;
  readonly #note: (text: string) => void;
  /** Servers that do not answer. */
  readonly #away = new Set<string>();
  #dropped = droppedHeaders();

  /**
   * @param options.secret signs what is posted, as the gateway signs its deliveries
   * @param options.note called when a server stops answering, and when it answers again
   */
  constructor(options: { routes: readonly Route[]; secret: string; note: (text: string) => void }) {
    this.#routes = options.routes;
    this.#secret = options.secret;
    this.#note = options.note;
  }

  /** Leaves out these headers, too: the gateway's DROPPED_HEADERS. */
  drop(names: readonly string[]): void {
    this.#dropped = droppedHeaders(names);
  }

  /** Posts one event. Never rejects. @param attempt from 1; later ones are replays */
  async forward(item: FeedItem, attempt = 1): Promise<LocalAnswer> {
    const url = routeOf(this.#routes, item.event.event_type);
    if (url === null) return notForwarded;
    const startedMs = performance.now();
    try {
      const body = Buffer.from(item.body, 'base64');
      const delivery = { secret: this.#secret, attempt, dropped: this.#dropped };
      const headers = headersOf(item, body, delivery).map(([name, value]): [string, string] => [name, value]);
      const { status, durationMs } = await post({ url, headers, body, timeLimitMs });
      if (this.#away.delete(url.origin)) this.#note(`${url.origin} answers again.`);
      return { url: url.href, status, error: null, ms: durationMs };
    } catch (failure) {
      const error = codeOf(failure);
      if (!this.#away.has(url.origin)) {
        this.#away.add(url.origin);
        this.#note(
          `${url.origin} does not answer (${error}). Events go on; this is said once, until it answers again.`,
        );
      }
      return { url: url.href, status: null, error, ms: Math.round(performance.now() - startedMs) };
    }
  }
}

/** The headers of a delivery of the gateway, without those of the consumer's own settings. */
function headersOf(
  { event, headers }: FeedItem,
  body: Uint8Array,
  { secret, attempt, dropped }: { secret: string; attempt: number; dropped: DroppedHeaders },
) {
  const timestampS = Math.floor(Date.now() / 1000);
  return deliveryHeaders({
    providerHeaders: headers,
    dropped,
    contentType: headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null,
    event: {
      requestId: event.request_id,
      consumer: event.consumer,
      provider: event.provider,
      accountSlug: event.account_slug,
      eventType: event.event_type,
      externalId: event.external_id,
      attempt,
      replay: attempt > 1,
      backfill: event.backfilled_at !== null,
    },
    webhook: { id: event.id, timestampS, signature: signDelivery({ secret, id: event.id, timestampS, body }) },
  });
}

/** A connection to several addresses fails with one error for each. */
function codeOf(failure: unknown): string {
  const error = failure instanceof AggregateError ? failure.errors[0] : failure;
  const { code } = error as NodeJS.ErrnoException;
  // A DOMException has a number.
  return typeof code === 'string' ? code : error instanceof Error ? error.message : String(error);
}
