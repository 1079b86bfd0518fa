import diagnostics from 'node:diagnostics_channel';
import { expect } from 'vitest';
import { allKinds, type Kind, type Leak, leaksIn } from './markers.ts';

const found: Leak[] = [];
const origins = new Set<string>();

/** Notes where `content`, which a gateway has written, holds a marker; the test file fails at its end. */
export function watch(place: string, content: string | Uint8Array, kinds: readonly Kind[] = allKinds): void {
  note(leaksIn(place, content, kinds));
}

/** The same of what was found elsewhere. */
export function note(leaks: readonly Leak[]): void {
  const test = expect.getState().currentTestName;
  for (const leak of leaks) {
    const place = test === undefined ? leak.place : `${leak.place}, in '${test}'`;
    // Once tells enough, however many lines and chunks repeat it.
    if (!found.some((other) => other.kind === leak.kind && other.place === place)) found.push({ ...leak, place });
  }
}

/** What was noted since the last call. */
export const takeLeaks = (): Leak[] => found.splice(0);

/** From now on the answers of this gateway are watched, whoever reads them. @param baseUrl its origin */
export function watchAnswersOf(baseUrl: string): void {
  origins.add(new URL(baseUrl).origin);
}

/** An answer, or a part of it. */
interface Answered {
  origin: string;
  method: string;
  path: string;
  status: number;
}

/**
 * Notes markers in an answer of a watched gateway.
 *
 * Left out, one by one: payloads, which `GET /admin/events/{id}` shows; the URLs of accounts and destinations where these are
 * shown to operators, as they were configured.
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

/** The ends of chunks, so that a marker that two of them share is found. */
const ends = new WeakMap<object, Buffer>();
const statuses = new WeakMap<object, number>();
const keptBytes = 200;

/**
 * Every answer that `fetch` gets, read or not.
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

/** Once a process. */
export function watchFetch(): void {
  for (const channel of ['undici:request:headers', 'undici:request:bodyChunkReceived']) {
    diagnostics.unsubscribe(channel, answered);
    diagnostics.subscribe(channel, answered);
  }
}
