import { siteOf } from '../../http/network.ts';
import type { AuditDetails } from '../entry.ts';
import type { DenialReason, DeniedCall } from './denied-call.ts';

/** Networks whose calls are counted apart, so that a flood from many networks does not fill the memory. */
const maxNetworks = 1_000;
/** Networks that a summary names: enough to see where a flood comes from, in an entry of 3 KB at most. */
const namedNetworks = 20;

type Reasons = Partial<Record<DenialReason, number>>;

/** Counts of refused calls that have no audit entry of their own. */
export interface DeniedCounts {
  /** Of the first call, in milliseconds since 1970. */
  sinceMs: number;
  reasons: Reasons;
  networks: Map<string, Reasons>;
  /** The calls of networks beyond the first 1,000. */
  others: Reasons;
}

/** The counts of one call. */
export function countsOf({ ipAddress, reason }: Pick<DeniedCall, 'ipAddress' | 'reason'>): DeniedCounts {
  const reasons = { [reason]: 1 };
  return { sinceMs: Date.now(), reasons, networks: new Map([[siteOf(ipAddress), { ...reasons }]]), others: {} };
}

/** Adds the second counts to the first. */
export function addCounts(to: DeniedCounts, more: DeniedCounts): void {
  to.sinceMs = Math.min(to.sinceMs, more.sinceMs);
  add(to.reasons, more.reasons);
  add(to.others, more.others);
  for (const [network, reasons] of more.networks) {
    const known = to.networks.get(network);
    if (known !== undefined) add(known, reasons);
    else if (to.networks.size < maxNetworks) to.networks.set(network, reasons);
    else add(to.others, reasons);
  }
}

/** The details of the summary entry. */
export function summaryOf({ sinceMs, reasons, networks, others }: DeniedCounts): AuditDetails {
  const largest = [...networks].sort(([, one], [, other]) => total(other) - total(one));
  const rest = { ...others };
  for (const [, more] of largest.slice(namedNetworks)) add(rest, more);
  return {
    ...{ calls: total(reasons), since: new Date(sinceMs).toISOString(), reasons },
    networks: largest.slice(0, namedNetworks).map(([network, counts]) => ({ network, ...counts })),
    other_networks: rest,
  };
}

const total = (reasons: Reasons) => Object.values(reasons).reduce((sum, calls) => sum + calls, 0);

function add(to: Reasons, more: Reasons): void {
  for (const reason of ['unauthorized', 'rate_limited', 'forbidden'] as const)
    if (more[reason] !== undefined) to[reason] = (to[reason] ?? 0) + more[reason];
}
