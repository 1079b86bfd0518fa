import { expect, test } from 'vitest';
import { faultKinds, inWords, planFaults } from './plan.ts';

const plan = (seed: number, only: readonly string[] = faultKinds) => planFaults({ seed, loadS: 25, only });
const seeds = Array.from({ length: 50 }, (_, seed) => seed);

test('the same seed has the same faults, and another seed has others', () => {
  expect(plan(1)).toEqual(plan(1));
  expect(plan(2)).not.toEqual(plan(1));
});

test('faults occur in turn and at once, but never two of the same thing at once', () => {
  for (const seed of seeds) {
    const faults = plan(seed);
    const overlap = (a: (typeof faults)[number], b: typeof a) =>
      a.atMs < b.atMs + b.lastsMs && b.atMs < a.atMs + a.lastsMs;
    const pairs = faults.flatMap((a, n) =>
      faults.slice(n + 1).flatMap((b) => (overlap(a, b) ? [[a, b] as const] : [])),
    );
    expect(pairs.length, `seed ${seed}`).toBeGreaterThan(0);
    const processesOf = ({ action }: (typeof faults)[number]) => ('processes' in action ? action.processes : []);
    expect(pairs.filter(([a, b]) => processesOf(a).some((name) => processesOf(b).includes(name)))).toEqual([]);
  }
});

test('every kind of fault occurs in some of 50 seeds', () => {
  const seen = new Set(seeds.flatMap((seed) => plan(seed).map(({ kind }) => kind)));
  expect(faultKinds.filter((kind) => !seen.has(kind))).toEqual([]);
});

test('--faults limits the kinds', () => {
  const only = ['kill-worker', 'cut-postgres'];
  const kinds = new Set(seeds.flatMap((seed) => plan(seed, only).map(({ kind }) => kind)));
  expect([...kinds].sort()).toEqual([...only].sort());
  expect(plan(1, ['kill-worker']).map(inWords)[0]).toMatch(/^[\d.]+–[\d.]+ s kill-worker worker-[12]/);
});
