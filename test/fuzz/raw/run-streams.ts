import fc from 'fast-check';
import { compare, type Lane } from './compare.ts';
import type { Target } from './message.ts';
import { streamsTo } from './streams.ts';

/**
 * Sends generated streams on each lane, one after another, until `streams` are sent or the time is over. A stream that
 * fails is made smaller as long as it fails.
 *
 * @param lanes each with the targets of its account
 * @param limitMs the time for streams that do not fail; to make one smaller takes as long again at most
 * @returns what is wrong, and how many streams were sent
 */
export async function runStreams(
  lanes: readonly { lane: Lane; targets: readonly Target[] }[],
  { seed, streams, limitMs }: { seed: number; streams: number; limitMs: number },
): Promise<[string[], number]> {
  const checks = lanes.map(({ lane, targets }, index) =>
    fc.check(
      fc.asyncProperty(streamsTo(targets), (stream) => compare(lane, stream)),
      {
        seed: seed + index,
        numRuns: Math.ceil(streams / lanes.length),
        interruptAfterTimeLimit: limitMs,
        markInterruptAsFailure: false,
      },
    ),
  );
  const all = await Promise.all(checks);
  const wrong = all
    .filter(({ failed }) => failed)
    .map((details) => `${details.errorInstance}\n${fc.defaultReportMessage(details)}`);
  return [wrong, all.reduce((sum, { numRuns }) => sum + numRuns, 0)];
}
