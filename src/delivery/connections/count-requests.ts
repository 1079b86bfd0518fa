import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';

/** undici publishes each request here when it writes its head: it has no other way to learn the connection of a request. */
const channel = 'undici:client:sendHeaders';

/**
 * Counts the requests on these connections, by whether the connection had served another one. Requests of other clients
 * in this process are on the same channel, and are left out.
 *
 * @returns a function that stops counting.
 */
export function countRequests(
  connected: WeakMap<object, { used: boolean }>,
  requestSent: Metrics['requestSent'],
): () => void {
  const onRequest = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    const { socket } = message;
    const connection = typeof socket === 'object' && socket !== null ? connected.get(socket) : undefined;
    if (!connection) return;
    requestSent(connection.used);
    connection.used = true;
  };
  subscribe(channel, onRequest);
  return () => void unsubscribe(channel, onRequest);
}
