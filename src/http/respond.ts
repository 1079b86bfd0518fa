import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import { type BodyReader, declaredLength, expectsContinue, hasBody } from './bodies/body-reader.ts';
import type { Connection } from './connections/connections.ts';
import { type DirectAnswer, directAnswerOf } from './direct-answer.ts';
import type { Refusal } from './refusal.ts';

/** The part of an Elysia app that handles requests, independent of its routes. */
export interface HttpApp {
  /** Prepares the handlers, so that the first request does not have to wait. */
  compile(): unknown;
  fetch(request: Request): Response | Promise<Response>;
}

/** Node reads and discards an unread body of at most this size after the response, and keeps the connection. */
const smallBytes = 64 * 1024;
/** How long a client that is still sending may take to read its response before the connection is closed. */
const lingerMs = 5_000;

/** A placeholder: Elysia only checks that a body exists before it calls our parser, and does not read the stream. */
const unread = new ReadableStream();

/**
 * A request whose body only the gateway's own reader can read. Without this, srvx attaches a web stream to the request
 * as soon as Elysia checks for a body, and that stream keeps every chunk as an object.
 */
class UnreadRequest extends NodeRequest {}
Object.defineProperty(UnreadRequest.prototype, 'body', { value: unread });

/**
 * Responds to one request.
 *
 * @throws Error when the connection breaks while the response is sent.
 */
export async function respond(
  deps: { app: HttpApp; bodies: BodyReader },
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerOf(deps, request, response);
  const direct = directAnswerOf(request);
  connection.sharesAnswer = direct?.isShared === true;
  if (!request.complete && !isDiscardedByNode(request))
    await sendAndLinger(connection, request, response, direct ?? (await asDirect(answer)));
  else if (direct === null) await sendNodeResponse(response, answer);
  else {
    response.writeHead(direct.status, { ...direct.headers, 'content-length': direct.bytes.length });
    response.end(direct.bytes);
  }
}

/** Refuses a request. The gateway takes no other request from its connection, and closes it. */
export function refuse(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  { status, reason }: Refusal,
): Promise<void> {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const bytes = Buffer.from(`${reason}\n`);
  return sendAndLinger(connection, request, response, { status, headers, bytes, isShared: false });
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

/** Whether Node itself reads the rest of the body, soon after the response. */
function isDiscardedByNode(request: IncomingMessage): boolean {
  if (!hasBody(request)) return true;
  const declared = declaredLength(request);
  // The body reader pauses the request when it fails. A client that waits for 100 Continue may never send the body.
  return declared !== null && declared <= smallBytes && request.readableFlowing === null && !expectsContinue(request);
}

async function asDirect(answer: Response): Promise<DirectAnswer> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { status: answer.status, headers: Object.fromEntries(answer.headers), bytes, isShared: false };
}

/** Responds to a client that is still sending its request. Closes the connection when the client ends, or after 5 s. */
async function sendAndLinger(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, bytes }: DirectAnswer,
): Promise<void> {
  if (response.destroyed) return;
  connection.isLingering = true;
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, 'content-length': bytes.length, connection: 'close' });
  // The client has the whole response now. response.end() would make Node close the connection immediately.
  if (bytes.length > 0 && request.method !== 'HEAD') response.write(bytes);
  else response.flushHeaders();
  await connection.gate.discardRest(lingerMs);
  response.end();
}
