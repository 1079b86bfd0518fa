export interface LatencyPercentiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

/** Bucket n ends at 0.1 ms × 10^(n/20), as in migrations/functions/latency_bucket.sql. */
const bucketsADecade = 20;
const firstBucketMs = 0.1;

const endMs = (bucket: number) => firstBucketMs * 10 ** (bucket / bucketsADecade);

/** The bucket of a time in ms, as the function `latency_bucket` of the database computes it. */
export const latencyBucket = (ms: number): number =>
  Math.ceil(bucketsADecade * Math.log10(Math.max(1, ms / firstBucketMs)));

/**
 * Percentiles of a histogram, in milliseconds, rounded to 0.1 ms; null if the histogram is empty. A bucket is 12 %
 * wide, which is also the largest error.
 *
 * @param buckets the number of values in each bucket, in ascending order of the buckets.
 */
export function latencyPercentiles(buckets: readonly { bucket: number; n: number }[]): LatencyPercentiles {
  const total = buckets.reduce((sum, { n }) => sum + n, 0);
  const at = (share: number): number | null => {
    let left = share * total;
    for (const { bucket, n } of buckets) {
      if (left <= n) {
        const low = bucket === 0 ? 0 : endMs(bucket - 1);
        return Math.round((low + (endMs(bucket) - low) * (left / n)) * 10) / 10;
      }
      left -= n;
    }
    const last = buckets.at(-1);
    return last ? Math.round(endMs(last.bucket) * 10) / 10 : null;
  };
  if (total === 0) return { p50: null, p95: null, p99: null };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
