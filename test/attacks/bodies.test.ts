import { expect, test } from 'vitest';
import { damageLimits, head, measureDamage, mib, oneByteChunks } from '../support/attack.ts';
import { attackedOptions } from '../support/damage.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { type ApiProcess, migratedRoles } from '../support/gateway-roles.ts';
import { useForAll } from '../support/use.ts';

gatewaysEndWithTheirTest();

const roles = useForAll(() => migratedRoles({}));

/** A new process for each attack, because memory left by one attack would hide the growth by the next. */
async function startApi(): Promise<{ api: ApiProcess; path: string }> {
  const api = await roles.startApi(attackedOptions);
  const { account_slug } = await api.admin.createAccount({});
  return { api, path: `/generic/${account_slug}` };
}

function expectWithinLimits(damage: Awaited<ReturnType<typeof measureDamage>>, statuses: number[]): void {
  expect(damage.statuses).toEqual(statuses);
  expect(damage.grownMiB).toBeLessThan(damageLimits.grownMiB);
  expect(damage.slowestMs).toBeLessThan(damageLimits.slowestMs);
}

/** The attacks do not aim at the database, so the other client requests a path that needs no database. */
const other = { method: 'GET', path: '/health/live' };

test.each([
  ['an address that does not exist', () => '/generic/nobody'],
  ['a provider that does not exist', () => '/nobody/nothing'],
  ['an address that exists', (path: string) => path],
  ['the admin API, without a token', () => '/admin/accounts'],
])('ten bodies of a megabyte in chunks of one byte to %s', async (_name, target) => {
  const { api, path } = await startApi();
  const body = Buffer.concat([Buffer.from(head(target(path), 'chunked')), oneByteChunks(mib)]);
  const damage = await measureDamage(api, other, async (open) => {
    const attackers = await Promise.all(Array.from({ length: 10 }, () => open()));
    for (const { socket } of attackers) socket.write(body);
  });
  expectWithinLimits(damage, [200]);
});

test.each([
  ['one address', 1],
  // One address may hold a quarter of MAX_BODY_BYTES_IN_FLIGHT, all large bodies together three quarters.
  ['eight addresses', 8],
])('400 connections from %s with unfinished bodies of a megabyte', async (_name, addresses) => {
  const { api, path } = await startApi();
  const most = Buffer.alloc(mib - 1, 'a');
  const damage = await measureDamage(api, other, async (open) => {
    for (let n = 0; n < 400; n++) {
      const { socket } = await open({ localAddress: `127.0.1.${1 + (n % addresses)}` });
      socket.write(head(path, { length: mib }));
      socket.write(most);
    }
  });
  expectWithinLimits(damage, [200]);
});
