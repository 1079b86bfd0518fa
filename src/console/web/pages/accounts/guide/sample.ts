import type { Provider } from '../../../api/types.ts';
import { addressToPaste } from './addresses.ts';

/** A webhook that the page or the user can send in place of the provider. */
export interface Sample {
  address: string;
  headers: Record<string, string>;
  body: string;
}

const json = { 'Content-Type': 'application/json' };

/** A sample webhook for an account; null for providers that sign in a way that this page does not. */
export function sampleFor(provider: Provider, slug: string, secret: string): Sample | null {
  const address = addressToPaste(provider, slug, secret);
  // Another id each time, so that a second sample is no duplicate of the first.
  const now = Date.now();
  if (provider.name === 'generic') {
    const body = { id: `sample-${now}`, type: 'greeting', text: 'Hello from the console' };
    return { address, headers: { ...json, 'X-Webhook-Secret': secret }, body: JSON.stringify(body) };
  }
  if (provider.name === 'support_chat') {
    const body = { event: 'message:send', timestamp: now, data: { session_id: 'sample', fingerprint: now } };
    return { address, headers: { ...json, 'X-Original-Url': '/' }, body: JSON.stringify(body) };
  }
  return null;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The command that sends the sample. */
export function curlCommand({ address, headers, body }: Sample): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoted(address)}`, ...options, `-d ${quoted(body)}`].join(' \\\n  ');
}

/** Long enough for a gateway that waits for its database. */
const timeLimitMs = 15_000;

/**
 * Sends the sample from this page. The policy of the page allows requests to its own origin only, so the address is
 * reached through the origin of the console.
 *
 * @throws Error in words for the user, when the gateway did not accept it.
 */
export async function sendSample({ address, headers, body }: Sample): Promise<void> {
  const { pathname, search } = new URL(address);
  const response = await fetch(`${location.origin}${pathname}${search}`, {
    ...{ method: 'POST', headers, body, cache: 'no-store' },
    signal: AbortSignal.timeout(timeLimitMs),
  }).catch(() => {
    throw new Error('The gateway could not be reached.');
  });
  // A rejected webhook is shown as soon as it is in the list, with its reason.
  if (response.ok || response.status === 401) return;
  throw new Error(`The gateway answered ${response.status}. Copy the command and run it in a terminal instead.`);
}
