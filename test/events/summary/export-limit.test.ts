import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { useClient, useGateway } from '../../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const client = useClient(gateway);
const places = 16;

/** Asks for an export, and does not read it. */
const ask = (signal?: AbortSignal) =>
  fetch(`${gateway.baseUrl}/admin/events/export`, {
    headers: { 'x-admin-token': gateway.adminToken },
    ...(signal ? { signal } : {}),
  });

test('of many exports asked for at the same time, 16 begin; a place is free when a client leaves', async () => {
  await gateway.send(await gateway.admin.createAccount({}), '{"id":"exported"}');
  await client.query('begin');
  const leaves = new AbortController();
  try {
    // So that none ends by itself.
    await client.query('lock table events in access exclusive mode');
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(leaves.signal)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(places).fill(200), ...Array(40 - places).fill(429)]);
    leaves.abort();
    await until('a place is free', async () => {
      const next = await ask();
      await next.body?.cancel();
      return next.status === 200;
    });
  } finally {
    leaves.abort();
    await client.query('rollback');
  }
});

test('an export whose audit entry cannot be written takes no place', async () => {
  await client.query(`alter table audit_logs add constraint no_exports check (action <> 'event.export') not valid`);
  for (let n = 0; n <= places; n++) {
    const refused = await ask();
    expect(refused.status).toBeGreaterThanOrEqual(500);
    await refused.body?.cancel();
  }
  await client.query('alter table audit_logs drop constraint no_exports');
  await until('an export begins', async () => {
    const next = await ask();
    await next.body?.cancel();
    return next.status === 200;
  });
});
