import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { roles } from '../../src/config/config.ts';
import { adminClient } from '../support/admin-client.ts';
import { migratedDatabase } from '../support/database.ts';
import { sharedServers, startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { gatewayRoles } from '../support/gateway-roles.ts';
import { kill } from '../support/kill.ts';
import { checkOutWithoutDevPackages } from '../support/packages-that-run.ts';
import { until } from '../support/until.ts';

// Every role starts after `npm ci --omit=dev` in a checkout whose console is built, as in the image.

gatewaysEndWithTheirTest();

let checkout: string;
let variables: Record<string, string>;
beforeAll(async () => {
  checkout = checkOutWithoutDevPackages(temporaryFolder('test'));
  variables = {
    ...gatewayRoles({ databaseUrl: await migratedDatabase() }).variables,
    BACKUP_DIR: temporaryFolder('test'),
  };
});

const start = (role: string, more: Record<string, string> = {}, args: string[] = []) =>
  spawnGateway(role, { ...variables, ...more }, args, [], checkout);

/** The roles that go on until they are stopped, with what they say when they run. */
const lasting: Record<string, RegExp> = { api: /"msg":"api listening"/, worker: /"msg":"worker running"/ };
/** The roles that end by themselves, with their arguments and what they say. */
const ending: Record<string, { args: string[]; code: number; says: RegExp }> = {
  migrate: { args: [], code: 0, says: /schema is up to date/ },
  reseal: { args: [], code: 0, says: /sealed|encrypted/ },
  'backup-sql': { args: ['no-such-backup'], code: 1, says: /no-such-backup/ },
  restore: { args: ['no-such-backup'], code: 1, says: /no-such-backup/ },
  promote: { args: [], code: 1, says: /build/i },
};

test('every role is started', () => {
  expect([...Object.keys(lasting), ...Object.keys(ending), 'all'].sort()).toEqual([...roles].sort());
});

test.each(Object.entries(lasting))('%s runs', async (role, says) => {
  await start(role).printed(says, 'stderr');
});

test.each(Object.entries(ending))('%s ends as it should', async (role, { args, code, says }) => {
  const process = start(role, {}, args);
  expect(await process.exited, process.stderr()).toMatchObject({ code });
  expect(process.stdout() + process.stderr()).toMatch(says);
  expect(process.stderr()).not.toContain('ERR_MODULE_NOT_FOUND');
});

test('all starts its own servers, serves the console, and shows which settings are from the .env file', async () => {
  const file = join(checkout, '.env');
  onTestFinished(() => rmSync(file));
  writeFileSync(file, 'DELIVERY_TIMEOUT=7s\nDELIVERY_SCHEDULE=1s\n');
  const variables = {
    DATA_DIR: join(temporaryFolder(), 'data'),
    PORT: '0',
    DELIVERY_SCHEDULE: Array(9).fill('2s').join(),
  };
  const gateway = spawnGateway('all', variables, [], [], checkout);
  const [, port] = await gateway.printed(/Gateway +http:\/\/127\.0\.0\.1:(\d+)/, 'stdout');
  const page = await fetch(`http://127.0.0.1:${port}/dashboard`);
  expect(page.status).toBe(200);
  expect(readFileSync(join(checkout, 'src/console/dist/index.html'), 'utf8')).toBe(await page.text());

  const [, token = ''] = await gateway.printed(/Admin token +(\S+)/, 'stdout');
  const { body } = await adminClient(`http://127.0.0.1:${port}`, token).request('GET', '/admin/settings');
  const of = (name: string) => body.settings.find((setting: { name: string }) => setting.name === name);
  expect(of('DELIVERY_TIMEOUT')).toMatchObject({ value: '7s', source: 'env_file' });
  expect(of('DELIVERY_SCHEDULE')).toMatchObject({ value: '2s,2s,2s,2s,2s,2s,2s,2s,2s', source: 'environment' });
  expect(of('SECRETS_KEY')).toMatchObject({ value: null, source: 'generated' });
});

test('a program that is started again keeps the settings of the start when the .env file was edited since', async () => {
  const file = join(checkout, '.env');
  onTestFinished(() => rmSync(file));
  writeFileSync(file, 'DELIVERY_TIMEOUT=7s\n');
  const gateway = await startWholeGateway(join(temporaryFolder(), 'data'), await sharedServers(), checkout);
  writeFileSync(file, 'DELIVERY_TIMEOUT=9s\nACCOUNT_CONCURRENCY=1\n');
  const first = gateway.program('api') ?? 0;
  kill(first);
  const { body } = await until(
    'another api answers',
    async () => gateway.program('api') !== first && (await gateway.admin.request('GET', '/admin/settings')),
    { retryErrors: true },
  );
  const of = (name: string) => body.settings.find((setting: { name: string }) => setting.name === name);
  expect(of('DELIVERY_TIMEOUT')).toMatchObject({ value: '7s', source: 'env_file' });
  expect(of('ACCOUNT_CONCURRENCY')).toMatchObject({ value: '64', source: 'default' });
});
