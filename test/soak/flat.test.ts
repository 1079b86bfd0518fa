import { expect, test } from 'vitest';
import { whatGrew } from './flat.ts';
import type { Sample } from './sample.ts';

/** An hour of samples, all alike except for what `changes` says of a minute. */
function hour(changes: (minute: number) => Partial<Sample>): Sample[] {
  const steady = {
    ...{ apiMiB: 200, workerMiB: 400, temporalMiB: 250, postgresMiB: 300, descriptors: 160, connections: 30 },
    ...{ queued: 5, unstarted: 5, deadQueueRows: 50, queueKiB: 256, firstAttemptP50Ms: 8, firstAttemptP99Ms: 90 },
  };
  return Array.from({ length: 60 }, (_, index) => ({ ...steady, minute: index + 1, ...changes(index + 1) }));
}

test('a steady hour has no growth', () => {
  expect(whatGrew(hour(() => ({})))).toEqual([]);
});

test('a leak of 3 MiB a minute is growth, and is named with its measurements', () => {
  expect(whatGrew(hour((minute) => ({ workerMiB: 400 + 3 * minute })))).toEqual(['workerMiB grew from 448 to 568']);
});

test('the first minutes, and single minutes without a measurement or with a high one, do not count', () => {
  expect(whatGrew(hour((minute) => (minute < 8 ? { apiMiB: 80 } : {})))).toEqual([]);
  expect(whatGrew(hour((minute) => (minute === 57 ? { queued: 5_000, connections: null } : {})))).toEqual([]);
});

test('a few minutes are not judged', () => {
  expect(whatGrew(hour((minute) => ({ descriptors: 100 * minute })).slice(0, 6))).toEqual([]);
});
