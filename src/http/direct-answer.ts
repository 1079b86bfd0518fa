import type { IncomingMessage } from 'node:http';
import { nodeRequest } from './node-request.ts';

/** What is sent for a request in place of the body of its `Response`. */
export interface DirectBody {
  bytes: Uint8Array;
  /** Whether all clients share the bytes, as those of a file in memory. */
  isShared: boolean;
}

const bodies = new WeakMap<IncomingMessage, DirectBody>();

/**
 * Answers with bytes that go to the socket as they are. The body of a `Response` is a copy of what it is made of, and
 * Elysia makes a second `Response` of it.
 */
export function directAnswer(
  request: Request,
  body: DirectBody,
  init: { status?: number; headers: Record<string, string> },
): Response {
  bodies.set(nodeRequest(request), body);
  const headers = { ...init.headers, 'content-length': String(body.bytes.length) };
  return new Response(null, { ...init, headers });
}

/** For an error after such an answer was made: what is sent instead has a body of its own. */
export function withdrawDirectAnswer(request: Request): void {
  bodies.delete(nodeRequest(request));
}

export const directBodyOf = (request: IncomingMessage): DirectBody | null => bodies.get(request) ?? null;
