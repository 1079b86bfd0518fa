import { treaty } from '@elysia/eden';
import type { AdminApp } from '../../../api/admin-routes.ts';
import { ApiProblem, problemOf, unreachable } from './problem.ts';
import { token } from './token.ts';

/** Longer than most calls of the API take, and short enough that the user still waits for the error. */
const timeLimitMs = 30_000;
/** To purge a large audit log takes minutes. */
const longLimitMs = 30 * 60_000;

const isLong = (url: string, method = 'GET') => method === 'DELETE' && url.endsWith('/audit-logs');

/** The admin API with the types of its routes. Its calls are wrapped in `answer`. */
export const api = treaty<AdminApp>(location.origin, {
  parseDate: false,
  headers: () => ({ 'x-admin-token': token.get() ?? '' }),
  async fetcher(input: RequestInfo | URL, init?: RequestInit) {
    const url = new URL(input instanceof Request ? input.url : input, location.origin);
    const limit = AbortSignal.timeout(isLong(url.pathname, init?.method) ? longLimitMs : timeLimitMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit;
    return await fetch(input, { ...init, cache: 'no-store', signal });
  },
}).admin;

interface Answered<T> {
  data: T;
  error: { status: unknown; value: unknown } | null;
  status: number;
  headers: HeadersInit | undefined;
}

/**
 * The body of a successful answer; empty for 204.
 *
 * @throws ApiProblem otherwise.
 */
export async function answer<T>(call: Promise<Answered<T>>): Promise<NonNullable<T>> {
  return (await answerWithHeaders(call)).data;
}

/**
 * The body and headers of a successful answer.
 *
 * @throws ApiProblem otherwise.
 */
export async function answerWithHeaders<T>(
  call: Promise<Answered<T>>,
): Promise<{ data: NonNullable<T>; headers: Headers }> {
  const { data, error, status, headers } = await call.catch((reason: unknown) => {
    throw reason instanceof ApiProblem ? reason : unreachable(reason);
  });
  // Without an answer, the library has what `fetch` threw as the error's value, and the status 503.
  if (error?.value instanceof ApiProblem) throw error.value;
  if (error?.value instanceof Error) throw unreachable(error.value);
  const isEmpty = data === null || data === undefined;
  if (error || (isEmpty && status !== 204)) throw problemOf(status, error?.value);
  return { data: data as NonNullable<T>, headers: new Headers(headers) };
}
