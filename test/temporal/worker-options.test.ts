import { expect, test } from 'vitest';
import { cachedWorkflows } from '../../src/temporal/worker-options.ts';

const gibibyte = 1024 ** 3;

test.each([
  [512 / 1024, 100],
  [2, 130],
  [8, 520],
  [64, 1_000],
])('of %s GiB, a worker keeps as many workflows in memory as fit into 2 %%: %i', (memory, workflows) => {
  expect(cachedWorkflows(memory * gibibyte)).toBe(workflows);
});
