import type { IncomingMessage } from 'node:http';
import { nodeRequest } from './node-request.ts';

/** What is sent for a request in place of the `Response` that Elysia hands back. */
export interface DirectAnswer {
  status: number;
  headers: Record<string, string>;
  bytes: Uint8Array;
  /** Whether all clients share the bytes, as those of a file in memory. */
  isShared: boolean;
}

/** On the request itself: an entry of a WeakMap costs more than the rest of a small answer, at each garbage collection. */
const answer = Symbol('directAnswer');

interface Answered extends IncomingMessage {
  [answer]?: DirectAnswer | null;
}

/**
 * Answers with bytes and headers that go to the socket as they are. The body of a `Response` is a copy of what it is made
 * of, its headers are checked and sorted, and Elysia makes a second `Response` of it.
 *
 * @returns what the handler of the route returns; only its status is read.
 */
export function directAnswer(
  request: Request,
  { status = 200, ...rest }: Partial<DirectAnswer> & Omit<DirectAnswer, 'status'>,
): Response {
  (nodeRequest(request) as Answered)[answer] = { status, ...rest };
  return new Response(null, { status });
}

/** For an error after such an answer was made: what is sent instead has a body of its own. */
export function withdrawDirectAnswer(request: Request): void {
  (nodeRequest(request) as Answered)[answer] = null;
}

export const directAnswerOf = (request: IncomingMessage): DirectAnswer | null => (request as Answered)[answer] ?? null;
