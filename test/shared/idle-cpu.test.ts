import { expect, test } from 'vitest';
import { IdleCpu } from '../../src/shared/idle-cpu.ts';
import { until } from '../support/until.ts';

test('the idle share is measured over a period, between 0 and 1', async () => {
  const cpu = new IdleCpu();
  expect(cpu.share()).toBe(0);
  // Other processes may keep the machine busy, so only a change is certain.
  const share = await until('a period has passed', () => {
    const measured = cpu.share();
    return measured > 0 && { measured };
  });
  expect(share.measured).toBeLessThanOrEqual(1);
});
