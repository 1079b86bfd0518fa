import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { AddressRules } from '../../accounts/address-rules.ts';
import { DeliveryFailure } from '../failure.ts';
import { createAddressGuard } from './address-guard.ts';
import { type Lookup, refuseLiteral, resolve, systemLookup } from './lookup.ts';

/** How long an answer waits for name servers. What they answer later is known to the next one. */
const patienceMs = 500;
/** The page of an account reads it every 10 s. */
const keptMs = 60_000;
const keptNames = 1_000;

/**
 * Says of URLs whether a delivery to them would be refused, before one is made.
 *
 * It looks up one name at a time: the system's resolver blocks a thread of libuv while it waits, and deliveries need the
 * others.
 *
 * @throws Error when an entry of `allowedNetworks` is not a CIDR
 */
export function judgeUrls(allowedNetworks: readonly string[], lookup: Lookup = systemLookup): AddressRules {
  const guard = createAddressGuard(allowedNetworks);
  const known = new LRUCache<string, Promise<string | null>>({ max: keptNames, ttl: keptMs });
  let last: Promise<unknown> = Promise.resolve();

  const literal = (hostname: string) => refuseLiteral(hostname, guard)?.message ?? null;
  const named = (hostname: string): Promise<string | null> => {
    const found = known.get(hostname);
    if (found) return found;
    const verdict = last.then(() =>
      resolve(hostname, lookup, guard).then(
        () => null,
        (error: unknown) =>
          error instanceof DeliveryFailure && error.outcome === 'address_refused' ? error.message : null,
      ),
    );
    last = verdict;
    known.set(hostname, verdict);
    return verdict;
  };

  return {
    refusal(url) {
      const hostname = hostnameOf(url);
      return hostname !== null && isIP(hostname) !== 0 ? literal(hostname) : null;
    },
    async warning(url) {
      const hostname = hostnameOf(url);
      if (hostname === null) return null;
      if (isIP(hostname) !== 0) return literal(hostname);
      return Promise.race([named(hostname), sleep(patienceMs, null, { ref: false })]);
    },
  };
}

/** Without the brackets of an IPv6 address; null for a text that is no URL. */
const hostnameOf = (url: string): string | null => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? null;
