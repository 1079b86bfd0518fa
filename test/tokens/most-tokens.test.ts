import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { useClient, useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const client = useClient(gateway);

test('of tokens that are created at the same time, one is the last of a thousand', async () => {
  await gateway.rows(
    `insert into admin_tokens (id, hash, name, role, created_by)
     select gen_random_uuid(), md5(n::text), 'token ' || n, 'read', 'a test' from generate_series(1, 999) n`,
  );
  // No call can store its token before all of them have begun to.
  await client.query('begin; lock table admin_tokens in share mode');
  const calls = ['one', 'two', 'three'].map((name) => gateway.admin.post('/admin/tokens', { name, role: 'read' }));
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and (query like '%update admin_tokens set revoked_at = expires_at%' or query like '%pg_advisory_xact_lock%')`;
  await until('all calls wait', async () => (await gateway.rows(waits)).length === calls.length);
  await client.query('commit');
  const answers = await Promise.all(calls);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.detail).toBe('1000 tokens are in force; revoke one first');
  expect((await gateway.admin.request('GET', '/admin/tokens')).body).toHaveLength(1_000);
});
