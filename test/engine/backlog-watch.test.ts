import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type BacklogLimit, watchBacklog } from '../../src/engine/backlog-watch.ts';
import { lanes } from '../../src/events/lanes.ts';
import { insertConsumer } from '../support/consumers.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { until } from '../support/until.ts';

// Workflow starts that fall behind (EVENT_WORKFLOWS_BACKLOG).

const stage = useQueueStage();

const { pendingStart, settledStart } = lanes;

/** Stores events whose workflow is to be started since `ageS` seconds ago. */
async function waiting(lane: typeof pendingStart | typeof settledStart, count: number, ageS = 0): Promise<string[]> {
  const ids = await stage.send(await stage.account(), count);
  await stage.move(ids, lane);
  const late = `update event_queue set lane_since = now() - make_interval(secs => $2) where event_id = any($1)`;
  await stage.gateway.rows(late, [ids, ageS]);
  return ids;
}

const workflowStarts = async () =>
  (await stage.gateway.admin.request('GET', '/admin/delivery/stats')).body.workflow_starts;

/** Starts a watch, and returns the lines of its log. */
function watched(limit: BacklogLimit, repeatMs = 60_000) {
  const lines: { level: number; msg: string; waiting: number; since: string | null }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const watch = watchBacklog({ sql: stage.gateway.database, log, limit, lookMs: 20, repeatMs });
  watch.start();
  onTestFinished(() => watch.stop());
  return lines;
}
const [info, warn] = [30, 40];
const hourMs = 3_600_000;

test('the statistics show how many workflows wait to be started, and since when', async () => {
  expect(await workflowStarts()).toEqual({ waiting: 0, since: null });
  // These still need their first attempt.
  await stage.send(await stage.account(), 2);
  expect(await workflowStarts()).toEqual({ waiting: 0, since: null });
  await waiting(pendingStart, 2, 60);
  await waiting(settledStart, 3, 600);
  await waiting(settledStart, 1, 30);
  const { waiting: count, since } = await workflowStarts();
  expect(count).toBe(6);
  const [oldest] = await stage.gateway.rows('select min(lane_since) as since from event_queue where lane > 0');
  expect(since).toBe(oldest?.since.toISOString());
});

test('starts for other consumers than default are counted, unless the consumer or its account lets events wait', async () => {
  const account = await stage.account();
  const billing = await insertConsumer(stage.gateway.database, { accountId: account.id, name: 'billing' });
  const [own = '', ...others] = await stage.send(account, 3);
  await stage.move([own, ...others], pendingStart);
  await stage.gateway.rows('update event_queue set account_id = $2 where event_id = any($1)', [others, billing]);
  const counts = async (...changes: string[]) => {
    for (const change of changes) await stage.gateway.rows(change);
    return (await workflowStarts()).waiting;
  };
  expect(await counts()).toBe(3);
  expect(await counts('update consumers set enabled = false')).toBe(1);
  expect(await counts('update consumers set enabled = true, paused_since = now()')).toBe(1);
  expect(await counts('update consumers set deleted_at = now()')).toBe(3);
  expect(await counts('update consumers set deleted_at = null, paused_since = null')).toBe(3);
  expect(await counts('update accounts set paused_since = now()')).toBe(0);
  expect(await counts('update accounts set paused_since = null, enabled = false')).toBe(0);
  await stage.gateway.rows('update accounts set enabled = true');
});

test('an event waits for its workflow since its first attempt, not since its receipt', async () => {
  const account = await stage.account(500);
  await stage.send(account, 1);
  await stage.gateway.rows(`update event_queue set lane_since = now() - interval '1 day'`);
  const { firstAttempts } = stage.process();
  const beforeMs = Date.now();
  firstAttempts.start();
  const { since } = await until('the workflow waits', async () => {
    const starts = await workflowStarts();
    return starts.waiting === 1 && starts;
  });
  expect(Date.parse(since)).toBeGreaterThanOrEqual(beforeMs - 1_000);
});

test.each([pendingStart, settledStart])(
  'while Temporal is down, a start that fails keeps the time since when it waits: lane %i',
  async (lane) => {
    const [id] = await waiting(lane, 1, 600);
    const before = await workflowStarts();
    const { link, starts } = stage.process();
    link.set(stage.engines.refusing);
    starts.start();
    const failed =
      'select 1 from event_queue where event_id = $1 and claim_token is null and claimed_until is not null';
    await until('the start has failed', async () => (await stage.gateway.rows(failed, [id])).length === 1);
    expect(await workflowStarts()).toEqual(before);
  },
);

test('more waiting starts than the limit are logged once, and so is their end', async () => {
  const lines = watched({ events: 3, ageMs: hourMs });
  const ids = await waiting(settledStart, 3);
  const [fourth] = await waiting(pendingStart, 1);
  await until('the warning', () => lines.length > 0);
  expect(lines).toMatchObject([{ level: warn, msg: 'workflow starts fall behind, deliveries continue', waiting: 4 }]);
  const remove = (gone: unknown[]) => stage.gateway.rows('delete from event_queue where event_id = any($1)', [gone]);
  // Below the limit, but above half of it.
  await remove([fourth]);
  await waiting(pendingStart, 1);
  await remove(ids.slice(0, 2));
  await remove(ids);
  await until('the end', () => lines.length > 1);
  expect(lines.slice(1)).toMatchObject([{ level: info, msg: 'workflow starts have caught up' }]);
});

test('a start that waits for longer than the limit is logged', async () => {
  await waiting(settledStart, 1, 120);
  const lines = watched({ events: 1_000, ageMs: 60_000 });
  await until('the warning', () => lines.length > 0);
  expect(lines).toMatchObject([{ level: warn, waiting: 1, since: (await workflowStarts()).since }]);
});

test('while the backlog lasts, the warning is repeated', async () => {
  await waiting(settledStart, 2);
  const lines = watched({ events: 1, ageMs: hourMs }, 100);
  await until('three warnings', () => lines.length >= 3);
  expect(new Set(lines.map(({ level }) => level))).toEqual(new Set([warn]));
});

test('with on_retry, settled events of an earlier policy leave the queue without a workflow', async () => {
  const settled = await waiting(settledStart, 4);
  const pending = await waiting(pendingStart, 2);
  await stage.gateway.rows(`update events set status = 'received' where id = any($1)`, [settled]);
  const { link, starts } = stage.process({ workflows: 'on_retry' });
  link.set(stage.engines.up);
  starts.start();
  await until('the queue is empty', async () => (await stage.queued()).length === 0);
  const states = 'select id, status, started_generation from events where id = any($1) order by id';
  const of = async (ids: string[]) =>
    (await stage.gateway.rows(states, [ids])).map((row) => [row.status, row.started_generation]);
  expect(await of(settled)).toEqual(settled.map(() => ['enqueued', -1]));
  expect(await of(pending)).toEqual(pending.map(() => ['enqueued', 0]));
});
