import { text } from 'node:stream/consumers';
import type { Header } from '../../providers/inbound-request.ts';
import { problemOf } from '../answered.ts';
import type { Connection } from '../cli.ts';
import { CliError, exitCodes } from '../exit.ts';
import { gatewayFetch, unreachable } from '../gateway-fetch.ts';

/** What `listen` reads of an event of the feed. */
export interface FeedEvent {
  id: string;
  request_id: string;
  account_id: string;
  provider: string;
  account_slug: string;
  consumer: string;
  event_type: string | null;
  external_id: string;
  received_at: string;
  backfilled_at: string | null;
}

export interface FeedItem {
  event: FeedEvent;
  /** As stored: secrets are masked. */
  headers: Header[];
  /** The bytes as received, in base64. */
  body: string;
}

export interface FeedPage {
  data: FeedItem[];
  cursor: string;
  /** There is nothing more now. */
  done: boolean;
  /** Headers that the gateway leaves out by its settings (DROPPED_HEADERS). */
  dropped_headers: string[];
}

/** A place in the feed: a cursor, or the time at which a session has begun; neither: now. */
export interface Place {
  cursor?: string;
  since?: string;
}

/** Which events the feed shows. */
export interface FeedFilter {
  accounts: readonly string[];
  eventTypes: readonly string[];
  consumer: string | null;
}

/** A call that failed and can be made again: no connection, no answer in time, or a gateway that is not ready. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Not the gateway's verdict about the call, but its state or that of a proxy in front of it. */
const isTemporary = (status: number) => status >= 500 || status === 408 || status === 429;

/**
 * Reads the page after a place in the feed.
 *
 * @param call.onPart called for the head of the answer, and for each part of its body
 * @throws Interrupted, and CliError for a call that the gateway refuses
 */
export async function fetchPage(
  { baseUrl, token }: Connection,
  filter: FeedFilter,
  place: Place & { wait?: string; limit: number },
  { signal, onPart }: { signal: AbortSignal; onPart: () => void },
): Promise<FeedPage> {
  const url = new URL(`${baseUrl}/admin/feed`);
  for (const account of filter.accounts) url.searchParams.append('account', account);
  for (const type of filter.eventTypes) url.searchParams.append('event_type', type);
  if (filter.consumer !== null) url.searchParams.set('consumer', filter.consumer);
  for (const [name, value] of Object.entries(place)) url.searchParams.set(name, String(value));
  let response: Response;
  let body: string;
  try {
    response = await gatewayFetch(baseUrl, signal)(url, { headers: { 'x-admin-token': token } });
    body = await text(parts(response, onPart));
  } catch (error) {
    throw new Interrupted((error instanceof CliError ? error : unreachable(baseUrl, error)).message);
  }
  const { status } = response;
  if (isTemporary(status)) throw new Interrupted(`the gateway answered with status ${status}`);
  const answer = parsed(body);
  if (answer === null) throw new Interrupted(`the answer with status ${status} is not that of a gateway`);
  if (status === 410) throw expired(answer);
  if (status !== 200) throw problemOf(status, answer);
  return answer as unknown as FeedPage;
}

async function* parts({ body }: Response, onPart: () => void): AsyncGenerator<Uint8Array> {
  onPart();
  for await (const part of body ?? []) {
    onPart();
    yield part;
  }
}

/** Null: a network or a proxy has answered in place of the gateway. */
function parsed(body: string): { oldest?: string } | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function expired({ oldest }: { oldest?: string }): CliError {
  return new CliError(
    exitCodes.failed,
    'the place in the feed has expired: events after it may be gone, or the gateway was restored from a backup',
    oldest === undefined
      ? 'Start again without --resume; there are no older events.'
      : `Start again with --since ${oldest}, the time of the oldest event that there is, or without --resume.`,
  );
}
