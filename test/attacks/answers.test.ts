import { expect, test } from 'vitest';
import { damageLimits, head, measureDamage } from '../support/attack.ts';
import { attackedOptions } from '../support/damage.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { useForAll } from '../support/use.ts';

gatewaysEndWithTheirTest();

const roles = useForAll(() => migratedRoles({}));

const bundle = '/openapi/assets/swagger-ui-bundle.js';
const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nhost: gateway\r\n${more}\r\n`;

test.each<[name: string, connections: number, request: (path: string, token: string) => string]>([
  ['a file', 1, () => get(bundle)],
  ['a file', 50, () => get(bundle)],
  ['metrics', 50, () => get('/metrics')],
  ['unknown paths', 50, () => get('/nothing/here/at-all')],
  ['admin calls without a token', 50, () => get('/admin/events')],
  ['large admin answers', 10, (_path, token) => get('/admin/providers', `x-admin-token: ${token}\r\n`)],
  ['webhooks', 10, (path) => `${head(path, { length: 100 })}${'a'.repeat(100)}`],
])(
  'a thousand requests in one write, for %s, on %i connections that read nothing',
  async (_name, connections, request) => {
    const api = await roles.startApi(attackedOptions);
    const { account_slug } = await api.admin.createAccount({});
    const requests = request(`/generic/${account_slug}`, roles.variables.ADMIN_TOKEN ?? '').repeat(1_000);
    const damage = await measureDamage(api, { method: 'GET', path: '/health/live' }, async (open) => {
      for (let n = 0; n < connections; n++) {
        const { socket } = await open({ localAddress: `127.0.1.${1 + (n % 8)}` });
        socket.write(requests);
        // Some connections close their sending side.
        if (n % 5 === 4) socket.end();
      }
    });
    expect(damage.statuses).toEqual([200]);
    expect(damage.grownMiB).toBeLessThan(damageLimits.grownMiB);
    expect(damage.slowestMs).toBeLessThan(damageLimits.slowestMs);
  },
);
