import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest, spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { gatewayRoles } from '../support/gateway-roles.ts';
import { filesOf, newAuthority } from '../support/tls/certificates.ts';
import { recordedWay, sslRequest } from '../support/tls/recorded-way.ts';
import { type TlsPostgres, tlsPostgres } from '../support/tls/tls-postgres.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

gatewaysEndWithTheirTest();
let server: TlsPostgres;
let authority: Awaited<ReturnType<typeof newAuthority>>;
beforeAll(async () => {
  authority = await newAuthority();
  server = await tlsPostgres(await authority.issue({ addresses: ['127.0.0.1'] }), authority.cert);
});
afterAll(() => server?.stop());

test('roles, backup and restore make no clear-text connection to PostgreSQL', async () => {
  const { ca } = filesOf({ ca: authority.cert });
  const [plain, empty] = [await server.database(), await server.database()];
  const way = await forTest(recordedWay(plain));
  const url = (database: string) => {
    const through = new URL(way.through(database));
    through.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: ca }).toString();
    return through.href;
  };
  const backups = join(temporaryFolder('test'), 'backups');
  const roles = gatewayRoles({ databaseUrl: url(plain), variables: { BACKUP_DIR: backups } });
  expect(await roles.migrate()).toMatchObject({ code: 0 });
  const [api, worker] = await Promise.all([roles.startApi(), roles.startWorker()]);
  const { consumer, account } = await accountForTest(api.admin);
  await send(api.baseUrl, account, '{"id":"one"}');
  await until('the event is delivered', () => consumer.deliveries.length > 0);
  await until('a backup is triggered', async () => (await api.admin.post('/admin/backups/trigger')).status === 202);
  const isArchive = (name: string) => /^gateway-.+\.sql\.gz\.enc$/.test(name);
  const archive = await until('the backup is there', async () =>
    existsSync(backups) ? readdirSync(backups).find(isArchive) : null,
  );
  await Promise.all([api.stop(), worker.stop()]);

  const { SECRETS_KEY } = roles.variables;
  const restore = spawnGateway('restore', { SECRETS_KEY }, [join(backups, archive), '--into', url(empty)]);
  expect({ exit: await restore.exited, said: restore.stderr() }).toEqual({ exit: { code: 0, signal: null }, said: '' });

  expect(way.seen.length).toBeGreaterThan(10);
  for (const { sent } of way.seen) expect(sent.subarray(0, sslRequest.length)).toEqual(sslRequest);
});

test('a start with the wrong certificate authority says so', async () => {
  const { other } = filesOf({ other: (await newAuthority('Another authority')).cert });
  const url = new URL(await server.database());
  url.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: other }).toString();
  const { code, stderr } = await gatewayRoles({ databaseUrl: url.href }).migrate();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^\nThe PostgreSQL of DATABASE_URL .* shows a certificate that no trusted authority signed/);
  expect(stderr).toContain('sslrootcert');
  expect(stderr).not.toContain(url.password);
  expect(stderr).not.toContain('Warning');
});
