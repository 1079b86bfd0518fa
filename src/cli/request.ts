import { problemOf } from './answered.ts';
import type { Cli } from './cli.ts';
import { gatewayFetch, jsonOf, whole } from './gateway-fetch.ts';

interface RequestOptions {
  query?: Record<string, string | readonly string[] | undefined>;
  /** Sent as JSON. */
  body?: unknown;
  accept?: string;
}

/**
 * A call of the admin API without the typed client: for bodies whose fields a user has chosen, and for answers that are
 * read as they arrive.
 *
 * @param path begins with `/admin`
 * @throws CliError for a problem, and if the gateway does not respond
 */
export async function request(
  cli: Pick<Cli, 'connection' | 'signal'>,
  method: string,
  path: string,
  { query = {}, body, accept = 'application/json' }: RequestOptions = {},
): Promise<Response> {
  const { baseUrl, token } = cli.connection();
  const url = new URL(`${baseUrl}${path}`);
  for (const [name, given] of Object.entries(query))
    for (const value of typeof given === 'string' ? [given] : (given ?? [])) url.searchParams.append(name, value);
  const headers = {
    ...{ 'x-admin-token': token, accept },
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const response = await gatewayFetch(baseUrl, cli.signal)(url, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw problemOf(response.status, await whole(() => response.text()));
  return response;
}

/** As {@link request}, with the body of the answer as JSON; null if there is none. */
export async function requestJson(...given: Parameters<typeof request>): Promise<unknown> {
  return (await jsonOf(await request(...given))).json;
}
