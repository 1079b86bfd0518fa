import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { useClient, useGateway } from '../../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const client = useClient(gateway);
const places = 16;

/** Asks for an export, and does not read it. */
const ask = ({ signal, token = gateway.adminToken }: { signal?: AbortSignal; token?: string } = {}) =>
  fetch(`${gateway.baseUrl}/admin/events/export`, {
    headers: { 'x-admin-token': token },
    ...(signal ? { signal } : {}),
  });

test('of many exports asked for at the same time, 16 begin; a place is free when a client leaves', async () => {
  await gateway.send(await gateway.admin.createAccount({}), '{"id":"exported"}');
  await client.query('begin');
  const leaves = new AbortController();
  try {
    // So that none ends by itself.
    await client.query('lock table events in access exclusive mode');
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask({ signal: leaves.signal })));
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
  try {
    for (let n = 0; n <= places; n++) {
      const refused = await ask();
      expect(refused.status).toBeGreaterThanOrEqual(500);
      await refused.body?.cancel();
    }
  } finally {
    await client.query('alter table audit_logs drop constraint no_exports');
  }
  await until('an export begins', async () => {
    const next = await ask();
    await next.body?.cancel();
    return next.status === 200;
  });
});

test('an export whose client left before it began takes no place', async () => {
  const { hostname, port } = new URL(gateway.baseUrl);
  const { token } = (await gateway.admin.post('/admin/tokens', { name: 'scoped', role: 'read', app_key: 'shop' })).body;
  /** An answer after those to all that was sent to the gateway before. */
  const arrived = () => gateway.admin.request('GET', '/admin/me');
  await client.query('begin');
  try {
    // The accounts of the token are read before an export takes a place.
    await client.query('lock table accounts in access exclusive mode');
    const sockets = Array.from({ length: places }, () => connect({ host: hostname, port: Number(port) }));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets)
      socket.write(`GET /admin/events/export HTTP/1.1\r\nHost: gateway\r\nX-Admin-Token: ${token}\r\n\r\n`);
    await arrived();
    for (const socket of sockets) socket.resetAndDestroy();
    await arrived();
  } finally {
    await client.query('rollback');
  }
  await until('all have an entry', async () => {
    const all = await gateway.rows(`select details from audit_logs where actor = 'scoped' and action = 'event.export'`);
    return all.filter(({ details }) => details.code === 'client_gone').length === places;
  });
  const next = await ask({ token });
  await next.body?.cancel();
  expect(next.status).toBe(200);
});
