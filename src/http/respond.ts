import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import { type BodyReader, declaredLength, expectsContinue, hasBody } from './bodies/body-reader.ts';
import type { Connection } from './connections/connections.ts';
import { type DirectAnswer, directAnswerOf } from './direct-answer.ts';

/** What answers requests: an Elysia app, whatever its routes are. */
export interface HttpApp {
  /** Prepares the handlers, so that the first request does not wait for it. */
  compile(): unknown;
  fetch(request: Request): Response | Promise<Response>;
}

/** An unread body of at most this size is read after the answer, and the connection kept; Node throws it away. */
const smallBytes = 64 * 1024;
/** How long a client that is still sending gets to read its answer before the connection is closed. */
const lingerMs = 5_000;

/** Elysia looks whether there is a body before it calls our parser, and never at the stream itself. */
const unread = new ReadableStream();

/**
 * A request whose body only the gateway's own reader can read: srvx would hang a web stream on the request as soon as
 * Elysia looks whether there is a body, and that stream keeps every chunk as an object.
 */
class UnreadRequest extends NodeRequest {}
Object.defineProperty(UnreadRequest.prototype, 'body', { value: unread });

/** Answers one request. What is thrown is a connection that broke while the answer was sent. */
export async function respond(
  deps: { app: HttpApp; bodies: BodyReader },
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerOf(deps, request, response);
  const direct = directAnswerOf(request);
  connection.sharesAnswer = direct?.isShared === true;
  if (!request.complete && !isReadAway(request)) await sendAndLinger(connection, request, response, answer, direct);
  else if (direct === null) await sendNodeResponse(response, answer);
  else {
    response.writeHead(direct.status, { ...direct.headers, 'content-length': direct.bytes.length });
    response.end(direct.bytes);
  }
}

async function answerOf(
  { app, bodies }: { app: HttpApp; bodies: BodyReader },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Response> {
  try {
    return await app.fetch(new UnreadRequest({ req, res }));
  } finally {
    bodies.release(req);
  }
}

/** Whether Node gets to the end of the body by itself, soon after the answer. */
function isReadAway(request: IncomingMessage): boolean {
  if (!hasBody(request)) return true;
  const declared = declaredLength(request);
  // A reader that gave up leaves the request paused; a client that waits for 100 Continue may never send the body.
  return declared !== null && declared <= smallBytes && request.readableFlowing === null && !expectsContinue(request);
}

/** Sends an answer to a client that is still sending its request, and closes the connection after both. */
async function sendAndLinger(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  answer: Response,
  direct: DirectAnswer | null,
): Promise<void> {
  const body = direct?.bytes ?? new Uint8Array(await answer.arrayBuffer());
  if (response.destroyed) return;
  connection.isLingering = true;
  response.shouldKeepAlive = false;
  response.writeHead(answer.status, {
    ...(direct?.headers ?? Object.fromEntries(answer.headers)),
    'content-length': body.length,
    connection: 'close',
  });
  // The client has the whole answer now. Ending it would make Node close the connection at once.
  if (body.length > 0 && request.method !== 'HEAD') response.write(body);
  else response.flushHeaders();
  await connection.gate.discardRest(lingerMs);
  response.end();
}
