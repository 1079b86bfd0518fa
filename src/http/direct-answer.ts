import type { IncomingMessage } from 'node:http';
import { nodeRequest } from './node-request.ts';

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
const answer = Symbol('directAnswer');

interface Answered extends IncomingMessage {
  [answer]?: DirectAnswer | null;
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

/** Removes the direct answer of a request, so that an error that occurs later is sent instead. */
export function withdrawDirectAnswer(request: Request): void {
  (nodeRequest(request) as Answered)[answer] = null;
}

export const directAnswerOf = (request: IncomingMessage): DirectAnswer | null => (request as Answered)[answer] ?? null;
