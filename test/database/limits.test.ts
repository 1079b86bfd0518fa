import { expect, test } from 'vitest';
import { ownLocks } from '../support/own-locks.ts';
import { useClient, useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const other = useClient(gateway);

/** The statements about a table that the gateway's connections run or wait for. Other connections are ignored. */
const busyWith = (table: string) =>
  gateway.rows(
    `select state, query from pg_stat_activity a
     where datname = current_database() and application_name like 'webhook-gateway%' and pid <> pg_backend_pid()
       and exists (select from ${ownLocks} l where l.pid = a.pid and l.relation = $1::regclass)`,
    [table],
  );

test('a change that waits too long for a lock ends in the gateway and the server, and leaves no lock or transaction', async () => {
  const account = await gateway.admin.createAccount({});
  const path = `/admin/accounts/${account.id}`;
  await other.query('begin');
  await other.query('select 1 from accounts where id = $1 for update', [account.id]);
  const destination = { destination_type: 'email', name: 'x', config: { addresses: ['a@b.example'] } };
  const answers = await Promise.all([
    gateway.admin.request('PATCH', path, { org_id: 'x' }),
    gateway.admin.request('DELETE', path),
    gateway.admin.post(`${path}/destinations`, destination),
  ]);
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([503, 'database_unavailable']));
  expect(await busyWith('accounts')).toEqual([]);
  await other.query('rollback');
  expect((await gateway.admin.request('PATCH', path, { org_id: 'x' })).status).toBe(200);
});

test('a read that takes too long also ends in the database', async () => {
  await other.query('begin');
  await other.query('lock table event_latencies');
  const answers = await Promise.all([1, 2, 3].map(() => gateway.admin.request('GET', '/admin/delivery/stats')));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(await busyWith('event_latencies')).toEqual([]);
  await other.query('rollback');
  expect((await gateway.admin.request('GET', '/admin/delivery/stats')).status).toBe(200);
});
