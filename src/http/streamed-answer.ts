import type { IncomingMessage, ServerResponse } from 'node:http';

/** A response that goes on until the server or the client ends it. */
export interface StreamedAnswer {
  headers: Record<string, string>;
  /**
   * Called after the head was written, not for HEAD. Writes to Node's response directly, because its `writableLength`
   * says how many bytes the client has not read. A web stream would hide that.
   */
  open(response: ServerResponse): void;
}

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
