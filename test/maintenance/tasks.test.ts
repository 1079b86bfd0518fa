import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { Sealer } from '../../src/audit/sealer.ts';
import { createLog } from '../../src/shared/log.ts';
import { startConsumer } from '../support/consumer.ts';
import { slowDelaysMs, startGateway } from '../support/gateway.ts';
import { actionsOf, triggered } from '../support/maintenance.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { openWorkflows } from '../support/workflows.ts';

const dayMs = 86_400_000;
afterEach(() => vi.useRealTimers());

test('the audit purge deletes entries older than its days, and has an entry itself', async () => {
  const gateway = await forTest(startGateway({ worker: false, maintenance: { auditRetentionDays: 30 } }));
  const deps = { database: gateway.database, keyring: gateway.keyring, log: createLog('fatal') };
  const audit = new AuditLog(deps);
  for (const [ageDays, slug] of [
    [100, 'oldest'],
    [31, 'old'],
    [29, 'young'],
  ] as const) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - ageDays * dayMs });
    await audit.append({ actor: 'alice', action: 'account.read', ipAddress: '192.0.2.1', details: { slug } });
    await new Sealer(deps).seal();
    vi.useRealTimers();
  }
  await gateway.startWorker();
  const { last_run } = await triggered(gateway, 'audit-purge');
  expect(last_run).toMatchObject({ outcome: 'completed', result: { deleted: 2 } });
  expect(await actionsOf(gateway, 'account.read')).toEqual([['account.read', { slug: 'young' }]]);
  const purges = await gateway.admin.request('GET', '/admin/audit-logs?action=audit.purge');
  expect(purges.body).toMatchObject([
    { actor: 'gateway', ip_address: '127.0.0.1', details: { older_than_days: 30, deleted: 2 } },
  ]);
  expect((await gateway.admin.request('GET', '/admin/audit-logs/verify')).body).toMatchObject({ ok: true });
});

test('the sweep counts the events and notifications that it requeued', async () => {
  const gateway = await startGateway({ delaysMs: slowDelaysMs, maintenance: {} });
  const workflows = await openWorkflows(gateway);
  // The first attempt of each event fails.
  const consumer = await startConsumer((response, { headers }) =>
    response.writeHead(headers['x-webhook-attempt'] === '1' ? 500 : 200).end(),
  );
  onTestFinished(async () => {
    await workflows.close();
    await gateway.stop();
    await consumer.close();
  });
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const events: string[] = [];
  // The dispatcher (every 30 s) and the scheduled task look for the same rows, and the first one requeues them.
  const result = await until('the triggered run finds an overdue event', async () => {
    const { body } = await gateway.send(account, JSON.stringify({ id: `lost-${events.length}` }));
    events.push(body.id);
    await gateway.admin.eventually(body.id, (event) => event.attempts === 1 && event.status === 'enqueued');
    await workflows.terminate(body.id);
    await gateway.database.pool.query(`update events set next_attempt_at = now() - interval '1 hour' where id = $1`, [
      body.id,
    ]);
    const { last_run } = await triggered(gateway, 'sweep');
    return last_run.result.events > 0 && last_run.result;
  });
  expect(result).toEqual({ events: 1, notifications: 0, stuck_ended: 0, stuck_left: 0 });
  for (const id of events) {
    const event = await gateway.admin.eventually(id, ({ delivery_status }) => delivery_status === 'delivered');
    expect(event.attempts).toBe(2);
  }
});
