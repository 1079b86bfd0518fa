import { fetchAdmin, messagesOf } from './fetch.ts';
import type { Filters } from './filters.ts';
import { token } from './token.ts';
import type { EventItem } from './types.ts';

/** What `GET /admin/events/stream` reports, and what becomes of the connection. */
export type StreamMessage =
  | { kind: 'ready'; resumed: boolean }
  | { kind: 'event'; event: EventItem }
  | { kind: 'unmatched'; id: string }
  | { kind: 'left_out'; events: number }
  | { kind: 'reset' }
  | { kind: 'away' };

/** The waits before a new connection; the last one is repeated. */
const waitsMs = [500, 1_000, 2_000, 5_000];
/** The gateway sends something at least every 15 s; without anything for this long, the connection is dead. */
const silenceMs = 45_000;

/**
 * Follows the events that match the filters until `signal` is aborted, across restarts of the gateway and dropped
 * connections. After `ready` with `resumed` false, and after `reset`, the list must be loaded again.
 */
export async function followEvents(
  filters: Filters,
  { signal, onMessage }: { signal: AbortSignal; onMessage(message: StreamMessage): void },
): Promise<void> {
  let lastId = '';
  let failures = 0;
  while (!signal.aborted) {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener('abort', end, { once: true });
    let silence = setTimeout(end, silenceMs);
    try {
      const query = new URLSearchParams(Object.entries(filters).flatMap(([k, v]) => (v ? [[k, v]] : [])));
      const answer = await fetchAdmin(`/admin/events/stream?${query}`, {
        headers: lastId ? { 'last-event-id': lastId } : {},
        signal: connection.signal,
      });
      if (answer.status === 401) return token.refused();
      // Wrong filters stay wrong; the list shows the problem.
      if (answer.status === 403 || answer.status === 422) return onMessage({ kind: 'away' });
      if (!answer.ok || !answer.body) throw new Error(`the stream was answered ${answer.status}`);
      const watched = answer.body.pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(bytes, to) {
            clearTimeout(silence);
            silence = setTimeout(end, silenceMs);
            to.enqueue(bytes);
          },
        }),
      );
      for await (const { id, event, data } of messagesOf(watched)) {
        if (id) lastId = id;
        failures = 0;
        const message = messageOf(event, data);
        if (message) onMessage(message);
      }
    } catch {
      // Lost connections, restarts and refused ones are all the same here: the next connection says what was missed.
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
      connection.abort();
    }
    if (signal.aborted) return;
    onMessage({ kind: 'away' });
    const waitMs = waitsMs[Math.min(failures, waitsMs.length - 1)];
    failures += 1;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

function messageOf(event: string | undefined, data: string): StreamMessage | null {
  switch (event) {
    case 'ready':
      return { kind: 'ready', ...JSON.parse(data) };
    case 'event':
      return { kind: 'event', event: JSON.parse(data) };
    case 'unmatched':
      return { kind: 'unmatched', ...JSON.parse(data) };
    case 'left_out':
      return { kind: 'left_out', ...JSON.parse(data) };
    case 'reset':
      return { kind: 'reset' };
    default:
      return null;
  }
}
