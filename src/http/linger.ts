import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from './connections/connections.ts';
import type { DirectAnswer } from './direct-answer.ts';

/**
 * Responds to a client that may still be sending. Closes the connection when the client ends, or after 5 s: to close it
 * with unread bytes would reset it, and the client would lose the response.
 *
 * @param until `body`: the end of the request's body ends it, too.
 */
export async function sendAndLinger(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: DirectAnswer,
  until: 'body' | 'connection',
): Promise<void> {
  if (response.destroyed || connection.isLingering) return;
  connection.isLingering = true;
  response.shouldKeepAlive = false;
  const length = status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length, connection: 'close' });
  // The client has the whole response now. response.end() would make Node close the connection immediately.
  if (body.length > 0 && request.method !== 'HEAD') response.write(body);
  else response.flushHeaders();
  await connection.gate.discardRest(until);
  response.end();
}
