import { expect, test } from 'vitest';
import { damageLimits, measureDamage } from '../support/attack.ts';
import { attackedOptions } from '../support/damage.ts';
import { deniedIn } from '../support/denied.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

const networks = 1_000;
/** As many as an address may try in a minute before its answers are delayed. */
const triesEach = 10;
const connections = 20;

/** Wrong tokens from one address of each network, through a proxy. */
const guesses = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => {
    const address = `2001:db8:${(from + n).toString(16)}::1`;
    return `GET /admin/accounts HTTP/1.1\r\nhost: gateway\r\nx-forwarded-for: ${address}\r\nx-admin-token: wrong-token-of-${from + n}\r\n\r\n`;
  }).join('');

test('wrong tokens from a thousand networks neither delay a right token nor fill the audit log', async () => {
  const roles = await migratedRoles({ TRUSTED_PROXIES: '127.0.0.1' });
  const api = await roles.startApi(attackedOptions);
  const token = roles.variables.ADMIN_TOKEN ?? '';
  const other = { method: 'GET', path: '/admin/accounts', headers: { 'x-admin-token': token } };
  const each = networks / connections;
  const damage = await measureDamage(api, other, async (open) => {
    const attackers = await Promise.all(Array.from({ length: connections }, () => open({ reads: true })));
    for (const [n, { socket }] of attackers.entries())
      socket.write(guesses(n * each, (n + 1) * each).repeat(triesEach));
    await until('all wrong tokens are refused', () =>
      attackers.every(({ received }) => received().split('HTTP/1.1 401 ').length - 1 === each * triesEach),
    );
  });
  expect(damage.statuses).toEqual([200]);
  expect(damage.grownMiB).toBeLessThan(damageLimits.grownMiB);
  expect(damage.slowestMs).toBeLessThan(damageLimits.slowestMs);
  // A stop writes the summary of the last minute.
  await api.stop();
  const { mostInMinute, entries, summed } = await deniedIn(roles);
  expect(mostInMinute).toBeLessThanOrEqual(60);
  expect(entries + summed).toBe(networks * triesEach);
});
