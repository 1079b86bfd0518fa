import type { BothEnds } from '../../bench/deliver/both-ends.ts';
import { allDelivered, newRun, reportOf } from '../../bench/deliver/measure.ts';
import { openClusterStage } from '../bench-stage.ts';
import type { ClusterGround } from '../ground.ts';
import { median } from './median.ts';

/** The consumer's time for a request. */
const answerMs = 1_000;
/**
 * What bounds the attempts in flight of a worker is ACCOUNT_CONCURRENCY for each account, up to 1,024 over all accounts
 * (src/attempts/first-attempts.ts). With these, a worker has 64 in flight, and four workers make 256 requests a second,
 * which two cores can carry: so the limit is reached, and not the machine's.
 */
const accounts = 4;
const accountConcurrency = 16;
const perWorker = accounts * accountConcurrency;
/** How long the backlog lasts at the full number of attempts in flight. */
const lastsS = 14;
/** Left out at the begin, while the workers claim their first events, and at the end, when the backlog runs out. */
const edgeMs = 3_000;
const sampleMs = 100;
const load = { rate: 0, connections: 32, bytes: 1_000 };

/** The attempts in flight of so many workers that have more to do than they can, as the consumer sees them. */
export async function attemptsInFlight(ground: ClusterGround, ends: BothEnds, workers: number): Promise<number> {
  const stage = await openClusterStage(ground, ends, {
    ...{ apis: 1, workers },
    environment: { ACCOUNT_CONCURRENCY: String(accountConcurrency) },
  });
  try {
    const targets = await Promise.all(Array.from({ length: accounts }, () => stage.account(`?delay-ms=${answerMs}`)));
    await stage.admin('POST', '/admin/delivery/pause');
    const run = newRun();
    const sent = await ends.load.call('send', { run, targets, events: workers * perWorker * lastsS, ...load });
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
