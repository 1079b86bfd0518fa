import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import { type BodyReader, declaredLength, expectsContinue, hasBody } from './bodies/body-reader.ts';
import type { Connection } from './connections/connections.ts';
import { asksForUpgrade } from './connections/request-gate.ts';
import { answerInPlace, type DirectAnswer } from './direct-answer.ts';
import { sendAndLinger } from './linger.ts';
import { sendStream } from './streamed-answer.ts';

/** The part of an Elysia app that handles requests, independent of its routes. */
export interface HttpApp {
  /** Prepares the handlers, so that the first request does not have to wait. */
  compile(): unknown;
  fetch(request: Request): Response | Promise<Response>;
}

/** Node reads and discards an unread body of at most this size after the response, and keeps the connection. */
const smallBytes = 64 * 1024;
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
  // The rest of the request was not legal, and the client has its answer.
  if (connection.isLingering) return;
  const direct = answerInPlace(request);
  if (direct !== null && 'open' in direct) {
    sendStream(request, response, direct);
    return;
  }
  connection.sharesAnswer = direct?.isShared === true;
  const isLast = asksForUpgrade(request);
  if (isLast || (!request.complete && !isDiscardedByNode(request)))
    await sendAndLinger(
      connection,
      request,
      response,
      direct ?? (await asDirect(answer)),
      isLast ? 'connection' : 'body',
    );
  else if (direct === null) await sendNodeResponse(response, answer);
  else {
    response.writeHead(direct.status, { ...direct.headers, 'content-length': Buffer.byteLength(direct.body) });
    response.end(direct.body);
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

/** Whether Node itself reads the rest of the body, soon after the response. */
function isDiscardedByNode(request: IncomingMessage): boolean {
  if (!hasBody(request)) return true;
  const declared = declaredLength(request);
  // The body reader pauses the request when it fails. A client that waits for 100 Continue may never send the body.
  return declared !== null && declared <= smallBytes && request.readableFlowing === null && !expectsContinue(request);
}

async function asDirect(answer: Response): Promise<DirectAnswer> {
  const body = new Uint8Array(await answer.arrayBuffer());
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body, isShared: false };
}
