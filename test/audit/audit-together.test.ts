import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { maintenanceTaskNames } from '../../src/maintenance/tasks.ts';
import { type AdminOperation, adminOperations, bodyOf, pathOf } from '../support/admin-operations.ts';
import { entriesOf } from '../support/audit.ts';
import { backupFolder } from '../support/backup-folder.ts';
import { freshDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { isEngineLate, scheduled } from '../support/maintenance.ts';
import { ownPostgres } from '../support/own-servers.ts';
import { rawRequest } from '../support/raw-http.ts';
import { createResources } from '../support/resources.ts';
import { everythingStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';

// A change and its entry commit together, and a read without an entry returns nothing.

gatewaysEndWithTheirTest();
const operations = await adminOperations();
const named = operations.map((operation) => [operation.id, operation] as const);
const consumer = useConsumer();
// The worker creates the schedules, which the operations need. It is stopped, and incidents are not judged, so that nothing
// else changes rows.
const hourMs = 3_600_000;
const gateway = useGateway({
  ...{ maintenance: { backupDir: backupFolder() }, trustedProxies: ['127.0.0.1'] },
  incidents: { flushMs: hourMs, judgeMs: hourMs, watchMs: hourMs },
});
beforeAll(async () => {
  for (const name of maintenanceTaskNames) await scheduled(gateway, name);
  await gateway.stopWorker();
});

/** Makes the database refuse every audit entry, at the insert or at the commit. */
async function refuseEntries(when: 'before' | 'at commit', sqlState: string): Promise<void> {
  await gateway.rows(`create function refuse_entry() returns trigger language plpgsql as
     $$ begin raise exception 'no entry' using errcode = '${sqlState}'; end $$`);
  await gateway.rows(
    when === 'before'
      ? 'create trigger refuse before insert on audit_logs for each row execute function refuse_entry()'
      : `create constraint trigger refuse after insert on audit_logs deferrable initially deferred
         for each row execute function refuse_entry()`,
  );
}
afterEach(() => gateway.rows('drop function if exists refuse_entry cascade'));

/** All tables but those that are written concurrently: the audit log and the uses of secrets. */
const stored = () => everythingStored(gateway.database, ['audit_logs', 'audit_chain', 'signing_secret_uses']);
const countEntries = async () => (await gateway.rows('select count(*)::integer as n from audit_logs'))[0]?.n;

let made = 0;
/** The body with a new slug, and that of a token with a new name, because those of the OpenAPI examples can be used once only. */
const freshNames = (body: Record<string, unknown>) => ({
  ...body,
  ...('account_slug' in body ? { account_slug: `made-${++made}` } : {}),
  ...('role' in body ? { name: `made-${++made}` } : {}),
});

let addresses = 0;
/** From an address of its own, because a read that repeats is only counted. */
function act(operation: AdminOperation, values: Record<string, string>, baseUrl: string) {
  const { method } = operation;
  const address = `2001:db8::${(++addresses).toString(16)}`;
  const example = bodyOf(operation, values);
  const body = example && freshNames(example);
  return rawRequest(baseUrl, {
    ...{ method, path: pathOf(operation, values) },
    headers: {
      ...{ 'x-admin-token': gateway.adminToken, 'content-type': 'application/json' },
      'x-forwarded-for': address,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe.each([
  ['at the insert', 'before', 'P0001'],
  ['for its data', 'before', '22P05'],
  ['at the commit', 'at commit', 'P0001'],
] as const)('an entry that the database refuses %s', (_name, when, sqlState) => {
  test.each(named)('makes %s fail without a change', async (_id, operation) => {
    const values = await createResources(gateway, consumer.url);
    const before = await stored();
    const entriesBefore = await countEntries();
    await refuseEntries(when, sqlState);
    const answer = await act(operation, values, gateway.baseUrl);
    expect([answer.status, answer.body.code]).toEqual([503, 'database_unavailable']);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(await stored()).toBe(before);
    expect(await countEntries()).toBe(entriesBefore);
    // The same request succeeds once the database accepts entries again.
    await gateway.rows('drop function refuse_entry cascade');
    const again = await until('Temporal answers in time', async () => {
      const one = await act(operation, values, gateway.baseUrl);
      return !isEngineLate(one) && one;
    });
    expect(operation.successes).toContain(again.status);
  });
});

test('a refused token is 401 even if its entry cannot be written', async () => {
  await refuseEntries('before', 'P0001');
  expect(await rawRequest(gateway.baseUrl, { method: 'GET', path: '/admin/accounts' })).toMatchObject({
    status: 401,
    body: { code: 'unauthorized' },
  });
});

test('while the database is stopped every operation is 503, with a right or a wrong token', async () => {
  const postgres = await ownPostgres();
  const cut = await forTest(startGateway({ worker: false, databaseUrl: await freshDatabase(postgres.address) }));
  const values = await createResources(cut, consumer.url);
  await postgres.stop();
  for (const operation of operations) {
    const answer = await act(operation, values, cut.baseUrl);
    expect([operation.id, answer.status, answer.body?.code]).toEqual([operation.id, 503, 'database_unavailable']);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  }
  const denied = await rawRequest(cut.baseUrl, { method: 'GET', path: '/admin/events' });
  expect([denied.status, denied.body.code]).toEqual([401, 'unauthorized']);
  await postgres.start();
  const answer = await cut.admin.request('GET', `/admin/accounts/${values.account_id}`);
  expect(answer.status).toBe(200);
  // Of this account, because the summary of refused calls may come at any time.
  expect(await entriesOf(cut.database, values.account_id, 'account.read')).toMatchObject([
    { details: { status: 200 } },
  ]);
});
