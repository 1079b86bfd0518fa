import { createAdminClient } from '../api/client.ts';
import type { Connection, GlobalOptions } from './cli.ts';
import type { Environment } from './environment.ts';
import { usageError } from './exit.ts';
import { gatewayFetch, jsonOf } from './gateway-fetch.ts';
import { type Profile, readProfile } from './profiles.ts';

/**
 * Address and token: of the options, else of a profile that `--profile` names, else of GATEWAY_URL and GATEWAY_TOKEN,
 * else of the profile `default`. The token of a profile is only sent to the address of the profile.
 *
 * @throws CliError if one is missing
 */
export function connectionOf(options: GlobalOptions, env: Environment): Connection {
  const named = options.profile !== undefined;
  const ofEnv = named ? {} : { url: env.GATEWAY_URL || undefined, token: env.GATEWAY_TOKEN || undefined };
  const given = { url: options.url ?? ofEnv.url, token: options.token ?? ofEnv.token };
  // Its file may be that of another user, or damaged, and must not end a command that needs no profile.
  const needsProfile = named || given.url === undefined || given.token === undefined;
  const profile = needsProfile ? readProfile(env, options.profile) : null;
  const url = given.url ?? profile?.url;
  if (url === undefined)
    throw usageError(
      'the address of the gateway is not known',
      'Run `webhook-gateway login`, or set GATEWAY_URL or --url.',
    );
  const baseUrl = addressOf(url);
  const token = given.token ?? tokenFor(baseUrl, profile);
  if (token === undefined || token === '')
    throw usageError(`there is no token for ${baseUrl}`, 'Run `webhook-gateway login`, or set GATEWAY_TOKEN.');
  return { baseUrl, token: checkedToken(token) };
}

/** @throws CliError for what a header cannot have: the error of fetch would show the token */
export function checkedToken(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usageError(
      'the token has characters that no token has',
      'Copy it again, without quotes, spaces and line breaks.',
    );
  return token;
}

/** The typed client, whose calls end with the signal. */
export function adminClient(connection: Connection, signal: AbortSignal) {
  const fetchFirst = gatewayFetch(connection.baseUrl, signal);
  return createAdminClient({
    ...connection,
    async fetcher(...request) {
      const response = await fetchFirst(...request);
      // Errors of proxies are no JSON.
      if (!response.ok) return response;
      // Read here, because the client does not say that an answer broke off.
      const { text } = await jsonOf(response);
      return new Response(text === '' ? null : text, response);
    },
  });
}

const tokenFor = (baseUrl: string, profile: Profile | null) =>
  profile !== null && addressOf(profile.url) === baseUrl ? profile.token : undefined;

/** @throws CliError for what is not the address of a gateway */
export function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageError(`${text} is not an address`, 'Write it with its scheme, such as https://gateway.example.');
  if (url.username || url.password || url.search || url.hash)
    throw usageError('the address must have neither user nor query', 'The token goes to --token or GATEWAY_TOKEN.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
