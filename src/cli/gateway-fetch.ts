import type { AdminFetch } from '../api/client.ts';
import { tryAgain } from './answered.ts';
import type { Cli } from './cli.ts';
import { CliError, exitCodes } from './exit.ts';
import { printable } from './output/printable.ts';

/**
 * A `fetch` for calls of the gateway: it ends with the command, and without an answer of a gateway it says why. It
 * follows no redirect, because the token would go to the other address.
 */
export const gatewayFetch =
  (baseUrl: string, signal: Cli['signal']): AdminFetch =>
  async (input, init) => {
    let response: Response;
    try {
      response = await fetch(input, { ...init, signal, redirect: 'manual' });
    } catch (error) {
      throw unreachable(baseUrl, error);
    }
    const problem = foreignAnswer(response);
    if (problem === null) return response;
    await response.body?.cancel();
    throw new CliError(
      exitCodes.failed,
      `${baseUrl} ${problem}`,
      'Check the address: --url, GATEWAY_URL or the profile.',
    );
  };

/** Why an answer cannot be that of a gateway, which has neither redirects nor pages among its API; null if it can. */
function foreignAnswer({ status, ok, headers }: Response): string | null {
  if (status >= 300 && status < 400) return printable(`redirects to ${headers.get('location')}`);
  return ok && headers.get('content-type')?.startsWith('text/html') ? 'answered with a web page' : null;
}

/** The error of a request that got no response. An abort is passed on as it is. */
export function unreachable(baseUrl: string, cause: unknown): Error {
  if (cause instanceof Error && cause.name === 'AbortError') return cause;
  return new CliError(
    exitCodes.failed,
    `no response from ${baseUrl}: ${reasonOf(cause)}`,
    'Check the address (--url, GATEWAY_URL or the profile), and that the gateway runs: GET /health/ready answers 200.',
  );
}

/** The innermost reason: fetch itself says only that it has failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

/**
 * The body of an answer of the admin API, and its JSON; null if there is none.
 *
 * @throws CliError as {@link whole}
 */
export const jsonOf = (response: Response): Promise<{ text: string; json: unknown }> =>
  whole(async () => {
    const text = await response.text();
    return { text, json: text === '' ? null : JSON.parse(text) };
  });

/**
 * Reads the body of an answer.
 *
 * @throws CliError if it ends before it is whole: the gateway was stopped during a long call, or a proxy has ended it.
 */
export async function whole<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new CliError(exitCodes.failed, 'the answer broke off before its end', tryAgain);
  }
}
