import type { IncomingMessage, ServerResponse } from 'node:http';
import { nodeRequest } from './node-request.ts';

/** A response that goes on until the server or the client ends it. */
export interface StreamedAnswer {
  headers: Record<string, string>;
  /**
   * Called after the head was written, not for HEAD. Writes to Node's response directly, because its `writableLength`
   * says how many bytes the client has not read. A web stream would hide that.
   */
  open(response: ServerResponse): void;
}

const stream = Symbol('streamedAnswer');

interface Streamed extends IncomingMessage {
  [stream]?: StreamedAnswer | null;
}

/**
 * Answers with a stream.
 *
 * @returns the value that the route's handler must return; only its status is read.
 */
export function streamedAnswer(request: Request, answer: StreamedAnswer): Response {
  (nodeRequest(request) as Streamed)[stream] = answer;
  return new Response(null, { status: 200 });
}

/** Removes the stream of a request, so that an error that occurs later is sent instead. */
export function withdrawStreamedAnswer(request: Request): void {
  (nodeRequest(request) as Streamed)[stream] = null;
}

export const streamedAnswerOf = (request: IncomingMessage): StreamedAnswer | null =>
  (request as Streamed)[stream] ?? null;

/** Sends the head and opens the stream. The connection is closed afterwards: a stream ends seldom and unannounced. */
export function sendStream(request: IncomingMessage, response: ServerResponse, answer: StreamedAnswer): void {
  if (response.destroyed) return;
  response.shouldKeepAlive = false;
  response.writeHead(200, answer.headers);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  // A client that has closed its side gets the answer to a request, but a stream has no end that it could wait for.
  // Without this, its place would be free only when a write has failed.
  const { socket } = request;
  const leave = () => response.destroy();
  socket.once('end', leave);
  response.once('close', () => socket.off('end', leave));
  answer.open(response);
}
