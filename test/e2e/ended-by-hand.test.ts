import { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { EndedByHand } from '../../src/engine/ended-by-hand.ts';
import { createLog } from '../../src/shared/log.ts';
import { unmeasured } from '../../src/telemetry/metrics/metrics.ts';
import { auditTrail } from '../support/audit-trail.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { attemptsOf } from '../support/history.ts';
import { askToWait, hold } from '../support/replies.ts';
import { anotherRun, useStage, waitingEvent } from '../support/situations.ts';
import { connectTo } from '../support/temporal-connection.ts';
import { until } from '../support/until.ts';
import { useForAll } from '../support/use.ts';

// What a person does to workflows in Temporal, by the Web UI or the command line (docs/temporal-web-ui.md). The sweep, which
// looks for events that are overdue for minutes, finds none here.

const stage = useStage({ delaysMs: slowDelaysMs, eventWorkflows: 'always' });
const temporal = useForAll(
  async () => new Client({ connection: await connectTo(stage.gateway.temporal.address) }),
  ({ connection }) => connection.close(),
);
const log = createLog('silent');
const scheduled = (id: string) => until('it waits', async () => (await stage.workflows.state(id)).phase === 'waiting');

const followedBy = (id: string, runId: string) => anotherRun(stage, id, runId, 'RUNNING');

/** A waiting event, with the run of its workflow. */
async function running() {
  const { id, consumer } = await waitingEvent(stage);
  const { runId } = await stage.workflows.status(id);
  await scheduled(id);
  return { id, consumer, runId };
}

const schedule = { delaysMs: slowDelaysMs, timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
const resume = { attempts: 0, nextAttemptAt: null, settled: false };

describe('cancel', () => {
  test('of a waiting delivery: the event is dead, and the audit log says who', async () => {
    const entries = auditTrail(stage.gateway.database);
    const { id, consumer } = await running();
    await stage.workflows.cancel(id);
    const event = await stage.gateway.admin.eventually(id, (e) => e.status === 'dead');
    expect(event).toMatchObject({ delivery_status: 'failed', last_error: 'cancelled in Temporal', attempts: 1 });
    expect((await stage.workflows.status(id)).status).toBe('CANCELLED');
    expect(consumer.deliveries).toHaveLength(1);
    const mine = (await entries()).filter(({ details }) => details?.event_id === id && details.dead);
    expect(mine).toMatchObject([
      {
        ...{ actor: 'temporal', action: 'event.fail', ip_address: '127.0.0.1' },
        details: { generation: 0, cancelled_in_temporal: true },
      },
    ]);
  });

  test('during an attempt: the event is dead, also when the consumer accepts it afterwards', async () => {
    const held = hold();
    const { id } = await stage.sent(500, held.reply);
    await stage.gateway.admin.eventually(id, (e) => e.attempts === 1);
    await stage.workflows.status(id);
    await stage.operate.retry(id);
    await held.arrived;
    await stage.workflows.cancel(id);
    await stage.gateway.admin.eventually(id, (e) => e.status === 'dead' && e.delivery_status === 'failed');
    held.answer(200);
    const event = await stage.gateway.admin.eventually(id, (e) => attemptsOf(e).length === 2);
    expect(event).toMatchObject({ status: 'dead', delivery_status: 'failed' });
  });

  test.each([0, 1])(
    'of a run of generation %i that was started a moment ago: the event is dead',
    async (generation) => {
      const { id, event } = await waitingEvent(stage);
      // The row does not know the generation of a replay by hand.
      const replay = { generation, schedule, resume: { ...resume, nextAttemptAt: event.next_attempt_at } };
      await stage.workflows.signal(id, 'replay', [replay]);
      await until('it waits', async () => (await stage.workflows.state(id)).generation === generation);
      // As after a start that is not recorded yet.
      await stage.gateway.rows(
        `insert into event_queue (event_id, account_id, generation, lane, claim_token, claimed_until)
       select id, account_id, generation, 1, gen_random_uuid(), 'infinity' from events where id = $1`,
        [id],
      );
      await stage.workflows.cancel(id);
      await stage.gateway.admin.eventually(id, (e) => e.status === 'dead' && e.delivery_status === 'failed');
    },
  );

  test('of a dead event that was replayed ends the replay', async () => {
    const { id } = await running();
    await stage.workflows.cancel(id);
    await stage.gateway.admin.eventually(id, (e) => e.status === 'dead');
    await stage.operate.replay(id);
    const replayed = await stage.gateway.admin.eventually(id, (e) => e.generation === 1);
    expect(replayed.status).not.toBe('dead');
    await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  });
});

test('a worker that starts later leaves a replay alone that has begun since a cancellation', async () => {
  const held = hold();
  const { id } = await stage.sent(askToWait(503, 1_000), held.reply);
  await stage.gateway.admin.eventually(id, (e) => e.attempts === 1 && e.status === 'enqueued');
  await stage.workflows.status(id);
  await stage.workflows.cancel(id);
  await stage.gateway.admin.eventually(id, (e) => e.status === 'dead');
  await stage.operate.replay(id);
  await held.arrived;
  const { database, keyring, temporal: settings } = stage.gateway;
  const audit = new AuditLog({ database, keyring, log });
  const later = new EndedByHand({ database, audit, metrics: unmeasured, log });
  later.setConnection(temporal.connection, settings.namespace);
  await later.round();
  expect(await stage.gateway.admin.event(id)).toMatchObject({ delivery_status: 'pending', generation: 1 });
  held.answer(200);
  await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
});

test('terminate: another run continues from the row', async () => {
  const { id, runId } = await running();
  await stage.workflows.terminate(id);
  await followedBy(id, runId);
  expect(await stage.workflows.state(id)).toMatchObject({ phase: 'waiting', attempts: 1, generation: 0 });
  expect((await stage.gateway.admin.event(id)).delivery_status).toBe('pending');
});

test('terminate of many at once: each gets another run', async () => {
  const events: Awaited<ReturnType<typeof running>>[] = [];
  for (let n = 0; n < 12; n++) events.push(await running());
  await Promise.all(events.map(({ id }) => stage.workflows.terminate(id)));
  await Promise.all(events.map(({ id, runId }) => followedBy(id, runId)));
});

test('reset: the run of the reset is ended, and another one continues from the row', async () => {
  const { id, runId } = await running();
  const reset = await stage.workflows.reset(id);
  await until('the run of the reset has ended', async () => {
    return (await stage.workflows.status(id, reset)).status === 'TERMINATED';
  });
  const latest = await followedBy(id, runId);
  expect(latest).not.toBe(reset);
  expect(await stage.workflows.state(id)).toMatchObject({ phase: 'waiting', attempts: 1 });
});

test('reset during an attempt: the run of the reset is not ended before its attempt', async () => {
  const held = hold();
  const { id, consumer } = await stage.sent(500, held.reply);
  await stage.gateway.admin.eventually(id, (e) => e.attempts === 1);
  await stage.workflows.status(id);
  await stage.operate.retry(id);
  await held.arrived;
  const reset = await stage.workflows.reset(id);
  await until('it attempts', async () => (await stage.workflows.state(id)).phase === 'attempting');
  // What was ended later is repaired meanwhile.
  const other = await running();
  await stage.workflows.terminate(other.id);
  await followedBy(other.id, other.runId);
  expect(await stage.workflows.status(id)).toEqual({ status: 'RUNNING', runId: reset });
  held.answer(200);
  await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(consumer.deliveries).toHaveLength(2);
});

describe('a signal that was sent by hand', () => {
  test.each([
    ['ack', { generation: 0 }],
    ['fail', { generation: 0, dead: true }],
    ['fail', { generation: 0, dead: true, accountDeleted: true }],
    // The event was not replayed, so its row does not know this generation.
    ['replay', { generation: 1, schedule, resume }],
  ])('%s %o ends the workflow, and another one continues the pending event', async (name, content) => {
    const { id, consumer, runId } = await running();
    await stage.workflows.signal(id, name, [content]);
    await followedBy(id, runId);
    await scheduled(id);
    expect(await stage.workflows.state(id)).toMatchObject({ attempts: 1, generation: 0 });
    expect(await stage.gateway.admin.event(id)).toMatchObject({ delivery_status: 'pending', generation: 0 });
    expect(consumer.deliveries).toHaveLength(1);
  });
});

test('a signal retry by hand makes an attempt, and an operator can retry afterwards', async () => {
  const { id, consumer } = await running();
  consumer.replies = [500];
  await stage.workflows.signal(id, 'retry', [{ generation: 0, number: 1 }]);
  await stage.gateway.admin.eventually(id, (e) => attemptsOf(e).includes('0 manual 1 http_error'));
  await stage.operate.retry(id);
  const event = await stage.gateway.admin.eventually(id, (e) => attemptsOf(e).includes('0 manual 2 http_error'));
  expect(event).toMatchObject({ delivery_status: 'pending', attempts: 3 });
});

test('an event that an operator has acknowledged gets no other run', async () => {
  const { id, runId } = await running();
  await stage.operate.ack(id);
  await until('its workflow has ended', async () => (await stage.workflows.status(id)).status === 'COMPLETED');
  const other = await running();
  await stage.workflows.signal(other.id, 'ack', [{ generation: 0 }]);
  await followedBy(other.id, other.runId);
  expect((await stage.workflows.status(id)).runId).toBe(runId);
});
