import { treaty } from '@elysia/eden';
import type { AdminApp } from '../../../api/admin-routes.ts';
import { ApiProblem, problemOf, unreachable } from './problem.ts';
import { token } from './token.ts';

/** Longer than any call of the API takes, and short enough that the user still waits for the error. */
const timeLimitMs = 30_000;

/** The admin API with the types of its routes. Its calls are wrapped in `answer`. */
export const api = treaty<AdminApp>(location.origin, {
  parseDate: false,
  headers: () => ({ 'x-admin-token': token.get() ?? '' }),
  async fetcher(input: RequestInfo | URL, init?: RequestInit) {
    const limit = AbortSignal.timeout(timeLimitMs);
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
 * The body of a successful answer.
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
  if (error || data === null || data === undefined) throw problemOf(status, error?.value);
  return { data, headers: new Headers(headers) };
}
