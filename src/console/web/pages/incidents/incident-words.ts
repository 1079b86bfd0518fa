import type { Incident } from '../../api/incidents.ts';

/** What happens, and the same when it is over. */
type Verb = readonly [now: string, before: string];

/** What a consumer does, by the outcome of its attempts (src/delivery/attempt/outcome.ts). */
const consumerVerbs: Record<string, Verb> = {
  timeout: ['does not answer in time', 'did not answer in time'],
  connection_refused: ['refuses connections', 'refused connections'],
  connection_error: ['loses connections', 'lost connections'],
  dns_failure: ['is not found by its name', 'was not found by its name'],
  tls_error: ['fails in the TLS handshake', 'failed in the TLS handshake'],
  address_refused: ['has an address that the gateway refuses', 'had an address that the gateway refused'],
  invalid_url: ['has an invalid URL', 'had an invalid URL'],
  proxy_error: ['is not reached through the proxy', 'was not reached through the proxy'],
  token_error: ['gets no access token', 'got no access token'],
  no_delivery_url: ['has no delivery URL', 'had no delivery URL'],
  secret_unreadable: ['has a secret that cannot be read', 'had a secret that could not be read'],
  other: ['fails for other reasons, too', 'failed for other reasons, too'],
};
const rejects: Verb = ['rejects webhooks', 'rejected webhooks'];

interface Cause {
  /** A status or an outcome: what incidents with the same trouble have in common. */
  name: string;
  verb: Verb;
  /** The rest of the cause: the first line of the answer, or the reason. */
  detail: string | null;
}

/** A cause in words. That of another release is shown as it is. */
export function causeOf({ kind, cause }: Pick<Incident, 'kind' | 'cause'>): Cause {
  if (kind === 'gateway') {
    const sentence = cause.charAt(0).toUpperCase() + cause.slice(1);
    return { name: cause, verb: [sentence, sentence], detail: null };
  }
  if (kind === 'rejections') return { name: 'rejections', verb: rejects, detail: cause };
  const [, name = cause, rest = ''] = /^(\S+)\s*(.*)$/s.exec(cause) ?? [];
  const detail = rest === '' ? null : rest;
  if (/^\d{3}$/.test(name)) return { name, verb: [`answers ${name}`, `answered ${name}`], detail };
  const verb = consumerVerbs[name];
  return verb ? { name, verb, detail } : { name: 'other', verb: ['fails', 'failed'], detail: cause };
}

/** What happens, in the tense of the incident's state. */
function verbOf(incident: Pick<Incident, 'kind' | 'cause' | 'state'>): string {
  const [now, before] = causeOf(incident).verb;
  return incident.state === 'resolved' ? before : now;
}

/** Who fails: `stripe/shop-eu`, or `stripe/shop-eu → billing` for a consumer other than `default`. */
export function subjectOf({
  kind,
  provider,
  account_slug,
  consumer,
}: Pick<Incident, 'kind' | 'provider' | 'account_slug' | 'consumer'>): string | null {
  if (kind === 'gateway') return null;
  const account = `${provider}/${account_slug}`;
  return consumer === null || consumer === 'default' ? account : `${account} → ${consumer}`;
}

/** `stripe/shop-eu answers 500`, as one text. */
export const sentenceOf = (incident: Incident): string =>
  [subjectOf(incident), verbOf(incident)].filter((part) => part !== null).join(' ');
