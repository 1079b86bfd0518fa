import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { EndedByHand } from '../../src/engine/ended-by-hand.ts';
import { StuckWorkflows } from '../../src/engine/stuck-workflows.ts';
import { repairStuck } from '../../src/maintenance/repair-stuck.ts';
import { unmeasured } from '../../src/telemetry/metrics/metrics.ts';
import { fillEvents } from '../events/fill-events.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';
import { openWorkflows, type Workflows } from '../support/workflows.ts';

// The gateway has no worker, so that only the tests start and end workflows. This one fails their tasks.

let workflows: Workflows;
let connection: NativeConnection;
let worker: Worker;
let ended: Promise<void>;
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  workflows = await openWorkflows(gateway);
  connection = await NativeConnection.connect({ address: gateway.temporal.address });
  const { taskQueue } = gateway.temporal;
  worker = await Worker.create({ connection, taskQueue, workflowBundle: { code: inject('workflowCode') } });
  ended = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await ended;
  await connection.close();
  await workflows.close();
});

const running: string[] = [];
afterEach(async () => {
  for (const id of running.splice(0)) await workflows.terminate(id).catch(() => undefined);
  await gateway.database.pool.query('delete from events');
});

/** Stores events whose workflow was started and whose attempt was due an hour ago. */
async function overdueEvents(many: number): Promise<string[]> {
  const { id: accountId, account_slug: accountSlug } = await gateway.admin.createAccount({});
  const receivedAt = new Date();
  return fillEvents(
    gateway.database,
    Array.from({ length: many }, () => ({
      ...{ receivedAt, accountId, accountSlug, provider: 'generic', appKey: 'app', eventType: null, externalId: 'x' },
      ...{ status: 'enqueued' as const, deliveryStatus: 'pending' as const, attempts: 1, deliveredAt: null },
      nextAttemptAt: new Date(receivedAt.getTime() - 3_600_000),
    })),
  );
}

/** The repair as the sweep makes it, and what it tells operators. */
function openRepair({ attempts = 2, ageS = 0 } = {}) {
  const { database: sql, temporal } = gateway;
  const levels: number[] = [];
  const counted = { ended: 0, left: 0 };
  const log = pino({}, { write: (line) => void levels.push(JSON.parse(line).level) });
  // The second try of a task follows at once. Each further one takes 10 s or more.
  const limits = { attempts, ageS };
  const found = new StuckWorkflows({ connection, namespace: temporal.namespace, limits });
  const metrics = {
    ...unmeasured,
    workflowsStuck(result: keyof typeof counted, count: number) {
      counted[result] += count;
    },
  };
  const deps = { sql, log, metrics, overdueS: 120, stuckWorkflows: () => found };
  return { repair: () => repairStuck(deps, new AbortController().signal), found, levels, counted };
}

const [warn, error] = [40, 50];

/** Starts a workflow of the event, and waits until it is stuck. */
async function stick(id: string): Promise<void> {
  running.push(id);
  await workflows.startFailing(id);
  await until('the workflow is stuck', () => openRepair().found.find(id));
}
const statusOf = async (id: string) => (await workflows.status(id)).status;

test('a stuck workflow is ended with its retries, and its event is queued for another one', async () => {
  const [id = ''] = await overdueEvents(1);
  await gateway.database.pool.query('update events set manual_attempts = 2 where id = $1', [id]);
  await stick(id);
  const { repair, levels, counted } = openRepair();
  expect(await repair()).toEqual({ ended: 1, left: 0 });
  expect(await statusOf(id)).toBe('TERMINATED');
  expect(await gateway.rows('select manual_attempts from events')).toEqual([{ manual_attempts: 0 }]);
  expect(await gateway.rows('select event_id, lane from event_queue')).toEqual([{ event_id: id, lane: 1 }]);
  expect(levels).toEqual([warn]);
  expect(counted).toEqual({ ended: 1, left: 0 });
});

test('a workflow that the sweep has ended does not count as ended by a person', async () => {
  const [id = ''] = await overdueEvents(1);
  running.push(id);
  const schedule = { delaysMs: [], timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
  await workflows.start({
    ...{ eventId: id, generation: 0, schedule },
    resume: { attempts: 0, nextAttemptAt: null, settled: false },
  });
  const { repair, found } = openRepair();
  // Workers look for ended runs of this type only, and its task does not fail.
  vi.spyOn(found, 'find').mockResolvedValue({ eventId: id, runId: (await workflows.status(id)).runId });
  expect(await repair()).toEqual({ ended: 1, left: 0 });
  await until('Temporal lists the run', async () => (await found.terminatedWithin(id, 3_600)) === 1);
  const { database, keyring, temporal } = gateway;
  const [counted, log] = [vi.fn(), pino({ level: 'silent' })];
  const audit = new AuditLog({ database, keyring, log });
  const byHand = new EndedByHand({ database, audit, metrics: { ...unmeasured, workflowEndedByHand: counted }, log });
  byHand.setConnection(connection, temporal.namespace);
  await byHand.round();
  expect(counted).not.toHaveBeenCalled();
  expect(await gateway.rows('select lane from event_queue where event_id = $1', [id])).toEqual([{ lane: 1 }]);
});

test('an overdue event without a workflow, and one whose workflow is not stuck for long, are left alone', async () => {
  const [, id = ''] = await overdueEvents(2);
  await stick(id);
  const { repair, levels } = openRepair({ ageS: 300 });
  expect(await repair()).toEqual({ ended: 0, left: 0 });
  expect(await statusOf(id)).toBe('RUNNING');
  expect(levels).toEqual([]);
});

test('the age of a task counts from its first try', async () => {
  const [id = ''] = await overdueEvents(1);
  await stick(id);
  const third = openRepair({ attempts: 3 });
  await until('the third try begins', () => third.found.find(id));
  // The second try was 10 s long, its limit. One second less, because times are compared in whole seconds.
  expect(await openRepair({ attempts: 3, ageS: 9 }).found.find(id)).not.toBeNull();
});

test('a workflow is left when three runs of it were terminated within an hour', async () => {
  const [id = ''] = await overdueEvents(1);
  const { repair, found, levels, counted } = openRepair();
  for (const many of [1, 2, 3]) {
    await stick(id);
    expect(await repair()).toEqual({ ended: 1, left: 0 });
    await until('Temporal counts the run', async () => (await found.terminatedWithin(id, 3_600)) === many);
  }
  await stick(id);
  expect(await repair()).toEqual({ ended: 0, left: 1 });
  expect(await statusOf(id)).toBe('RUNNING');
  expect(levels).toEqual([warn, warn, warn, error]);
  expect(counted).toEqual({ ended: 3, left: 1 });
});

test('of more than ten stuck workflows none is ended, of ten all are', async () => {
  const ids = await overdueEvents(11);
  await Promise.all(ids.map(stick));
  const { repair, levels, counted } = openRepair();
  expect(await repair()).toEqual({ ended: 0, left: 11 });
  expect(new Set(await Promise.all(ids.map(statusOf)))).toEqual(new Set(['RUNNING']));
  expect(levels).toEqual([error]);
  expect(counted).toEqual({ ended: 0, left: 11 });

  const [first = ''] = ids;
  await workflows.terminate(first);
  expect(await repair()).toEqual({ ended: 10, left: 0 });
});
