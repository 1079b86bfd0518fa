import diagnostics from 'node:diagnostics_channel';
import { expect } from 'vitest';
import { allKinds, type Kind, type Leak, leaksIn } from './markers.ts';

const found: Leak[] = [];
const origins = new Set<string>();

/** Records markers in `content`, which a gateway has written, so that the test file fails at its end. */
export function watch(place: string, content: string | Uint8Array, kinds: readonly Kind[] = allKinds): void {
  note(leaksIn(place, content, kinds));
}

/** Records leaks that were found elsewhere. */
export function note(leaks: readonly Leak[]): void {
  const test = expect.getState().currentTestName;
  for (const leak of leaks) {
    const place = test === undefined ? leak.place : `${leak.place}, in '${test}'`;
    // A leak that several lines or chunks repeat is recorded once.
    if (!found.some((other) => other.kind === leak.kind && other.place === place)) found.push({ ...leak, place });
  }
}

/** The leaks recorded since the last call. */
export const takeLeaks = (): Leak[] => found.splice(0);

/**
 * Searches all later answers of this gateway.
 *
 * @param baseUrl its origin
 * @returns a function to be called when the gateway has stopped, because a consumer may get its port
 */
export function watchAnswersOf(baseUrl: string): () => void {
  const { origin } = new URL(baseUrl);
  origins.add(origin);
  return () => void origins.delete(origin);
}

/** An answer, or a part of it. */
interface Answered {
  origin: string;
  method: string;
  path: string;
  status: number;
}

/**
 * Records markers in an answer of a watched gateway.
 *
 * Left out: payloads, which `GET /admin/events/{id}` shows, and the configured URLs in the routes of accounts and
 * destinations.
 */
export function watchAnswer(
  { origin, method, path, status }: Answered,
  part: string,
  content: string | Uint8Array,
): void {
  if (!origins.has(origin)) return;
  const [pathname = ''] = path.split('?');
  const showsUrls = status < 300 && /^\/admin\/accounts(\/[^/]+(\/destinations(\/[^/]+)?)?)?$/.test(pathname);
  watch(`answer of ${method} ${pathname}${part}`, content, showsUrls ? ['secret'] : ['secret', 'address']);
}

interface Message {
  request: { origin: string; method: string; path: string };
  response?: { statusCode: number; headers: Uint8Array[] };
  chunk?: Uint8Array;
}

/** The ends of chunks, so that a marker across two chunks is found. */
const ends = new WeakMap<object, Buffer>();
const statuses = new WeakMap<object, number>();
const keptBytes = 200;

/**
 * Handles every answer that `fetch` gets, even if no test reads it.
 * https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
 */
function answered(message: unknown): void {
  const { request, response, chunk } = message as Message;
  if (!origins.has(request.origin)) return;
  if (response) statuses.set(request, response.statusCode);
  const { origin, method, path } = request;
  const about = { origin, method, path, status: statuses.get(request) ?? 0 };
  if (response) watchAnswer(about, ' (headers)', Buffer.concat(response.headers));
  if (!chunk) return;
  const text = Buffer.concat([ends.get(request) ?? Buffer.alloc(0), chunk]);
  ends.set(request, text.subarray(-keptBytes));
  watchAnswer(about, '', text);
}

/** Subscribes to the channels of undici. To be called once in a process. */
export function watchFetch(): void {
  for (const channel of ['undici:request:headers', 'undici:request:bodyChunkReceived']) {
    diagnostics.unsubscribe(channel, answered);
    diagnostics.subscribe(channel, answered);
  }
}
