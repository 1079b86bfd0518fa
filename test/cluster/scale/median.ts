import { percentile } from '../../bench/report.ts';

/** The value in the middle; of an even number of values, the lower one of both. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);
