import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from './connections/connections.ts';
import { sendAndLinger } from './linger.ts';
import type { Refusal } from './refusal.ts';

/** Refuses a request. No other request is taken from its connection, which is then closed. */
export function refuse(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  { status, reason }: Refusal,
): Promise<void> {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const body = `${reason}\n`;
  return sendAndLinger(connection, request, response, { status, headers, body, isShared: false }, 'connection');
}

/** The answers to what Node reports by these codes, as Node gives them. All others are 400. */
const statusLines = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/**
 * Answers bytes that Node's parser refuses, or that come too slowly, and closes the connection. Whole requests before
 * them are answered first. Node itself would reset the connection, and the client would lose their answers.
 *
 * @param code of Node's error.
 */
export async function refuseBytes(connection: Connection, code: string | undefined): Promise<void> {
  const { socket, gate } = connection;
  // Node reports the end of the connection after a fault as another fault.
  if (connection.isFaulty || connection.isLingering) return;
  connection.isFaulty = true;
  gate.discard();
  for (let whole = wholeOf(gate); whole !== null; whole = wholeOf(gate)) await closed(whole);
  const { request, response } = gate;
  const isAnswered = response === null ? request?.complete === false : response.headersSent;
  if (isAnswered || !socket.writable || code === 'ECONNRESET') {
    socket.destroySoon();
    return;
  }
  connection.isLingering = true;
  const statusLine = `HTTP/1.1 ${statusLines.get(code ?? '') ?? '400 Bad Request'}`;
  // Without a length, the client would wait for the end of the connection.
  socket.write(`${statusLine}\r\nCache-Control: no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  await gate.discardRest('connection');
  socket.destroySoon();
}

/** The response to a request that has arrived completely; null when there is none. */
const wholeOf = ({ response }: Connection['gate']): ServerResponse | null => (response?.req.complete ? response : null);

const closed = (response: ServerResponse) => new Promise((resolve) => response.once('close', resolve));
