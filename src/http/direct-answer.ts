import type { IncomingMessage } from 'node:http';
import { nodeRequest } from './node-request.ts';
import type { StreamedAnswer } from './streamed-answer.ts';

/** The response that is sent in place of the `Response` that Elysia returns. */
export interface DirectAnswer {
  status: number;
  headers: Record<string, string>;
  /** A short text is a string: Node then writes head and body as one piece. */
  body: Uint8Array | string;
  /** Whether all clients share the body, as for a file in memory. */
  isShared: boolean;
}

/** A property of the request itself: at each garbage collection, a WeakMap entry costs more than a small response. */
const answer = Symbol('answer');

interface Answered extends IncomingMessage {
  [answer]?: DirectAnswer | StreamedAnswer | null;
}

/**
 * Sends body and headers to the socket unchanged. A `Response` would copy the body and check and sort the headers, and
 * Elysia would make a second `Response` of it.
 *
 * @returns the value that the route's handler must return; only its status is read.
 */
export function directAnswer(
  request: Request,
  { status = 200, ...rest }: Partial<DirectAnswer> & Omit<DirectAnswer, 'status'>,
): Response {
  (nodeRequest(request) as Answered)[answer] = { status, ...rest };
  return new Response(null, { status });
}

/**
 * Answers with a stream.
 *
 * @returns the value that the route's handler must return; only its status is read.
 */
export function streamedAnswer(request: Request, stream: StreamedAnswer): Response {
  (nodeRequest(request) as Answered)[answer] = stream;
  return new Response(null, { status: 200 });
}

/** Removes the answer of a request, so that an error that occurs later is sent instead. */
export function withdrawAnswer(request: Request): void {
  (nodeRequest(request) as Answered)[answer] = null;
}

/** The answer to send in place of what Elysia returns; null if there is none. */
export const answerInPlace = (request: IncomingMessage): DirectAnswer | StreamedAnswer | null =>
  (request as Answered)[answer] ?? null;
