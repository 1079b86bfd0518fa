import { expect, test } from 'vitest';
import { createAddressGuard } from '../../src/delivery/connections/address-guard.ts';
import { createConnector } from '../../src/delivery/connections/connector.ts';
import { createGuardedLookup, systemLookup } from '../../src/delivery/connections/lookup.ts';
import { Pools } from '../../src/delivery/connections/pools.ts';

const guard = createAddressGuard([]);

test('settings have one pool, of which a limited number is open', async () => {
  const pools = new Pools(createConnector(createGuardedLookup(systemLookup, guard), guard), null);
  expect(pools.of(null)).toBe(pools.of(null));
  expect(pools.size).toBe(0);
  const first = pools.of({ key: '0' });
  expect(pools.of({ key: '0' })).toBe(first);
  for (let n = 1; n <= 500; n++) pools.of({ key: String(n) });
  expect(pools.size).toBe(500);
  expect(first.closed).toBe(true);
  expect(pools.of({ key: '0' })).not.toBe(first);
  await pools.destroy();
  expect(pools.size).toBe(0);
});
