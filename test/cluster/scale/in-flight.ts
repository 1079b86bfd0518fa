import type { BothEnds } from '../../bench/deliver/both-ends.ts';
import { allDelivered, newRun, reportOf } from '../../bench/deliver/measure.ts';
import { openClusterStage } from '../bench-stage.ts';
import type { ClusterGround } from '../ground.ts';
import { median } from './median.ts';

/** The consumer's time for a request. */
const answerMs = 1_000;
/**
 * What bounds the first attempts in flight of an api is ACCOUNT_CONCURRENCY for each account, up to 1,024 over all accounts
 * (src/attempts/first-attempts.ts). With these, an api has 64 in flight, and four apis make 256 requests a second, which
 * two cores can carry: so the limit is reached, and not the machine's.
 */
const accounts = 4;
const accountConcurrency = 16;
const perApi = accounts * accountConcurrency;
/** How long the backlog lasts at the full number of attempts in flight. */
const lastsS = 14;
/** Left out at the begin, while the apis claim their first events, and at the end, when the backlog runs out. */
const edgeMs = 3_000;
const sampleMs = 100;
const load = { rate: 0, connections: 32, bytes: 1_000 };

/** The attempts in flight of so many apis that have more to do than they can, as the consumer sees them. */
export async function attemptsInFlight(ground: ClusterGround, ends: BothEnds, apis: number): Promise<number> {
  const stage = await openClusterStage(ground, ends, {
    ...{ apis, workers: 1 },
    environment: { ACCOUNT_CONCURRENCY: String(accountConcurrency) },
  });
  try {
    const targets = await Promise.all(Array.from({ length: accounts }, () => stage.account(`?delay-ms=${answerMs}`)));
    await stage.admin('POST', '/admin/delivery/pause');
    const run = newRun();
    const sent = await ends.load.call('send', { run, targets, events: apis * perApi * lastsS, ...load });
    await stage.admin('POST', '/admin/delivery/resume');
    await allDelivered(stage, run, sent);
    return inFlightOf([...(await reportOf(stage, run)).atMs], answerMs);
  } finally {
    await stage.close();
  }
}

/**
 * The median of the requests that were open at one moment, when each of them takes the same time.
 *
 * @param atMs when the requests arrived
 */
export function inFlightOf(atMs: readonly number[], lastsMs: number): number {
  const sorted = atMs.toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [sorted[0], sorted.at(-1)];
  const counts: number[] = [];
  let [from, to] = [0, 0];
  for (let nowMs = first + edgeMs; nowMs <= last - edgeMs; nowMs += sampleMs) {
    while ((sorted[to] ?? Number.POSITIVE_INFINITY) <= nowMs) to++;
    while ((sorted[from] ?? Number.POSITIVE_INFINITY) <= nowMs - lastsMs) from++;
    counts.push(to - from);
  }
  return median(counts);
}
