import type { LookupAddress } from 'node:dns';
import dns from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { codeOf, DeliveryFailure } from '../failure.ts';
import type { AddressGuard } from './address-guard.ts';

/** Resolves a host name to all its addresses, in the order in which to try them. Rejects when there are none. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/** Uses the system's resolver, so that /etc/hosts and container names work. */
export const systemLookup: Lookup = (hostname) => dns.lookup(hostname, { all: true, order: 'verbatim' });

const notListed = 'DELIVERY_ALLOWED_NETWORKS does not list it';

/** `a private address`, `an amt address`. */
const withArticle = (range: string) => `${/^[aeiou]/i.test(range) ? 'an' : 'a'} ${range} address`;

/** The failure for an IP address in a URL that the guard refuses; null when it is allowed. */
export function refuseLiteral(address: string, guard: AddressGuard): DeliveryFailure | null {
  const verdict = guard(address);
  if (verdict.allowed) return null;
  return new DeliveryFailure('address_refused', `${address} is ${withArticle(verdict.range)}; ${notListed}`);
}

const dnsReasons: Record<string, string> = {
  ENOTFOUND: 'the name has no address (ENOTFOUND)',
  EAI_AGAIN: 'the name servers did not respond (EAI_AGAIN)',
};

/** The addresses of a name that the guard allows. @throws DeliveryFailure `dns_failure` or `address_refused` */
export async function resolve(hostname: string, lookup: Lookup, guard: AddressGuard): Promise<LookupAddress[]> {
  let addresses: LookupAddress[];
  try {
    addresses = await lookup(hostname);
  } catch (error) {
    const code = codeOf(error) ?? 'unknown reason';
    throw new DeliveryFailure('dns_failure', `${hostname} could not be resolved: ${dnsReasons[code] ?? code}`);
  }
  const allowed: LookupAddress[] = [];
  let refusal: string | null = null;
  for (const entry of addresses) {
    const verdict = guard(entry.address);
    if (verdict.allowed) allowed.push(entry);
    else refusal ??= `${hostname} resolves to ${entry.address}, ${withArticle(verdict.range)}; ${notListed}`;
  }
  if (allowed.length > 0) return allowed;
  if (refusal !== null) throw new DeliveryFailure('address_refused', refusal);
  throw new DeliveryFailure('dns_failure', `${hostname} could not be resolved: the name has no address`);
}

/** A lookup that fails after this time has met name servers that do not answer. One that says no does so in milliseconds. */
const slowMs = 1_000;
/**
 * Lookups at a time of names whose name servers do not answer, 10 s each. libuv runs lookups on half of its threads at most,
 * which are eight of 16 (`threads` in main.ts). An `api` has two senders, one of them for test deliveries: the others are left
 * to all other names.
 */
const unansweredAtOnce = 3;
/** Names that are remembered, in about 1 MB. */
const mostUnanswered = 10_000;

/** Resolves names so that those whose name servers do not answer cannot hold up the lookups of others again and again. */
function fairLookup(lookup: Lookup): Lookup {
  const unanswered = new LRUCache<string, true>({ max: mostUnanswered });
  const inTurn = pLimit(unansweredAtOnce);
  const noted: Lookup = async (hostname) => {
    const askedMs = performance.now();
    let isUnanswered = false;
    try {
      return await lookup(hostname);
    } catch (error) {
      isUnanswered = performance.now() - askedMs > slowMs;
      throw error;
    } finally {
      if (isUnanswered) unanswered.set(hostname, true);
      else unanswered.delete(hostname);
    }
  };
  return (hostname) => (unanswered.has(hostname) ? inTurn(noted, hostname) : noted(hostname));
}

/**
 * The `lookup` function for sockets. It returns only addresses that the guard allows, and the socket connects to
 * exactly these. So DNS rebinding (a name that resolves differently between check and connection) has no effect.
 *
 * Concurrent lookups of one name share one query. The system's resolver blocks one of libuv's threads while it waits, so the
 * unresolvable names of one account would otherwise block the lookups of all accounts: see `fairLookup`.
 *
 * Fails with a DeliveryFailure: `dns_failure` or `address_refused`.
 */
export function createGuardedLookup(lookup: Lookup, guard: AddressGuard): LookupFunction {
  const fair = fairLookup(lookup);
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  return (hostname, options, callback) => {
    let addresses = underWay.get(hostname);
    if (!addresses) {
      addresses = resolve(hostname, fair, guard).finally(() => underWay.delete(hostname));
      underWay.set(hostname, addresses);
    }
    addresses.then(
      (found) => {
        const [first] = found;
        if (options.all || !first) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
