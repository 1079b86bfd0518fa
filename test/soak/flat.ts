import type { Sample } from './sample.ts';

/** What may not grow, and by how much it may differ between the begin and the end of a run. */
const measures: { name: keyof Sample; share: number; more: number }[] = [
  // The heap of Node grows to the size that suits the load, and a restart of a server leaves some of it behind.
  { name: 'apiMiB', share: 0.2, more: 30 },
  { name: 'workerMiB', share: 0.2, more: 30 },
  { name: 'temporalMiB', share: 0.3, more: 100 },
  { name: 'descriptors', share: 0, more: 20 },
  { name: 'connections', share: 0, more: 10 },
  { name: 'queued', share: 0, more: 200 },
  { name: 'unstarted', share: 0, more: 200 },
  // Autovacuum removes them when there are 50 and a fifth of the table; a run may end just before it comes.
  { name: 'deadQueueRows', share: 1, more: 5_000 },
  { name: 'queueKiB', share: 1, more: 1_024 },
];

/** Too few minutes tell nothing: the processes have just started. */
const fewestMinutes = 12;

/**
 * What grew during a run, in words: the median of the last sixth of the minutes is compared with that of the second
 * sixth, so that the first minutes, in which caches fill, do not count.
 */
export function whatGrew(samples: readonly Sample[]): string[] {
  if (samples.length < fewestMinutes) return [];
  const sixth = Math.floor(samples.length / 6);
  const begin = samples.slice(sixth, 2 * sixth);
  const end = samples.slice(-sixth);
  return measures.flatMap(({ name, share, more }) => {
    const [before, after] = [medianOf(begin, name), medianOf(end, name)];
    return after > before * (1 + share) + more ? [`${name} grew from ${before} to ${after}`] : [];
  });
}

function medianOf(samples: readonly Sample[], name: keyof Sample): number {
  const values = samples.flatMap((sample) => sample[name] ?? []).toSorted((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}
