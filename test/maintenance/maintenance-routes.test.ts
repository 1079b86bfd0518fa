import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { maintenanceTaskNames } from '../../src/maintenance/tasks.ts';
import { backupFolder } from '../support/backup-folder.ts';
import {
  actionsOf,
  askMaintenance,
  holdBackups,
  isEngineLate,
  scheduled,
  taskOf,
  triggered,
} from '../support/maintenance.ts';
import { collectLines } from '../support/runtime.ts';
import { useSchedules } from '../support/schedules.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ maintenance: { backupDir: backupFolder() } });
const temporal = useSchedules(gateway);
beforeAll(async () => {
  for (const name of maintenanceTaskNames) await scheduled(gateway, name);
});

const ask = (method: string, path: string) => askMaintenance(gateway, method, path);

test('the list has each task, its next run, and no last run before the first one', async () => {
  const { status, body } = await ask('GET', '/admin/upkeep');
  expect(status).toBe(200);
  const none = { scheduled: true, paused: false };
  const now = new Date();
  const idle = (hour: number, minute: number) => {
    // Near its scheduled time the task may have run, or be running.
    const agoMinutes = (now.getUTCHours() - hour) * 60 + now.getUTCMinutes() - minute;
    return Math.abs(agoMinutes) <= 5 ? none : { ...none, last_run: null, running: false };
  };
  expect(body).toMatchObject([
    { name: 'backup', schedule: 'daily at 02:30 UTC', ...idle(2, 30) },
    { name: 'audit-purge', schedule: 'daily at 03:10 UTC', ...idle(3, 10) },
    { name: 'retention', schedule: 'daily at 01:40 UTC', ...idle(1, 40) },
    // The sweep may be running.
    { name: 'sweep', schedule: 'every 5 minutes', ...none },
  ]);
  for (const [index, hour, minute] of [
    [0, 2, 30],
    [1, 3, 10],
    [2, 1, 40],
  ] as const) {
    const next = new Date(body[index].next_run_at);
    const lateMinutes = (next.getUTCHours() - hour) * 60 + next.getUTCMinutes() - minute;
    expect([body[index].name, lateMinutes >= 0 && lateMinutes <= 2]).toEqual([body[index].name, true]);
    expect(next.getTime()).toBeGreaterThan(Date.now());
  }
});

test.each([
  ['audit-purge', { deleted: 0 }],
  ['retention', { dedup_keys: 0 }],
  ['sweep', { events: 0, notifications: 0, stuck_ended: 0, stuck_left: 0 }],
  ['backup', { lost: 0, found: 0, pruned: 0 }],
] as const)('%s runs when it is triggered, and the list shows its result', async (name, result) => {
  const { last_run } = await triggered(gateway, name);
  expect(last_run).toMatchObject({ outcome: 'completed', error: null, result });
  expect(Date.parse(last_run.finished_at)).toBeGreaterThanOrEqual(Date.parse(last_run.started_at));
});

test('the Web UI shows the task of a run in the memo, and its result', async () => {
  await triggered(gateway, 'sweep');
  const { info } = await temporal.schedule('sweep').describe();
  const { workflowId } = info.recentActions.at(-1)?.action.workflow ?? { workflowId: '' };
  const described = await temporal.client.workflow.getHandle(workflowId).describe();
  expect(described).toMatchObject({ type: 'upkeep', memo: { task: 'sweep' } });
  expect(await described.staticSummary()).toContain('overdue notifications');
});

test('pause and resume work and have audit entries', async () => {
  const paused = await ask('POST', '/admin/upkeep/retention/pause');
  expect(paused).toMatchObject({ status: 200, body: { name: 'retention', paused: true, next_run_at: null } });
  expect((await temporal.schedule('retention').describe()).state).toMatchObject({
    paused: true,
    note: 'paused by tester',
  });
  // A second pause changes nothing.
  expect((await ask('POST', '/admin/upkeep/retention/pause')).status).toBe(200);
  // A paused task can still be triggered.
  expect((await triggered(gateway, 'retention')).paused).toBe(true);
  const resumed = await ask('POST', '/admin/upkeep/retention/resume');
  expect(resumed).toMatchObject({ status: 200, body: { paused: false, next_run_at: expect.stringMatching(/^2/) } });
  expect(await actionsOf(gateway, 'upkeep.')).toEqual(
    expect.arrayContaining([
      ['upkeep.pause', { name: 'retention', status: 200 }],
      ['upkeep.resume', { name: 'retention', status: 200 }],
      ['upkeep.trigger', { name: 'retention', status: 202 }],
    ]),
  );
});

test('the runs of a task are listed, newest first, with a run in progress', async () => {
  const first = await triggered(gateway, 'audit-purge');
  const second = await triggered(gateway, 'audit-purge');
  const { status, body } = await ask('GET', '/admin/upkeep/audit-purge/runs');
  expect(status).toBe(200);
  expect(body.slice(0, 2)).toEqual([second.last_run, first.last_run]);
  const blocker = await holdBackups(gateway.databaseUrl);
  try {
    await ask('POST', '/admin/upkeep/backup/trigger');
    await blocker.arrived();
    const running = { outcome: 'running', finished_at: null, result: null, error: null };
    const listed = await until('the run is listed', async () => {
      const { body: runs } = await ask('GET', '/admin/upkeep/backup/runs');
      return runs[0]?.outcome === 'running' && runs;
    });
    expect(listed[0]).toEqual({ ...running, started_at: expect.stringMatching(/^2/) });
  } finally {
    await blocker.release();
  }
  await until('the backup has ended', async () => !(await taskOf(gateway, 'backup')).running);
});

test('at most ten runs are listed', { timeout: 400_000 }, async () => {
  for (let n = 0; n < 11; n++) await triggered(gateway, 'sweep');
  const { body } = await ask('GET', '/admin/upkeep/sweep/runs');
  expect(body).toHaveLength(10);
  const starts = body.map((run: { started_at: string }) => run.started_at);
  expect(starts).toEqual([...starts].sort().reverse());
});

test('requests that come at once are all answered: Temporal is asked again while it is too busy', async () => {
  const refused = collectLines('admin call failed, Temporal unavailable');
  // While a schedule handles a change, Temporal keeps only few of the queries of its state.
  const rounds = Array.from({ length: 10 }, async (_, at) => {
    const changed = await gateway.admin.request('POST', `/admin/upkeep/audit-purge/${at % 2 ? 'pause' : 'resume'}`);
    const reads = Array.from({ length: 8 }, () => gateway.admin.request('GET', '/admin/upkeep/audit-purge/runs'));
    return [changed, ...(await Promise.all(reads))];
  });
  const answers = (await Promise.all(rounds)).flat();
  expect(answers.filter((answer) => answer.status !== 200 && !isEngineLate(answer))).toEqual([]);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  // On a busy machine Temporal may also be late. A refusal would be another error.
  expect(refused.filter(({ err }) => !/deadline/i.test((err as Error).message))).toEqual([]);
  await ask('POST', '/admin/upkeep/audit-purge/resume');
});

test('the runs of an unknown task are 404', async () => {
  expect(await ask('GET', '/admin/upkeep/nothing/runs')).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test.each(['trigger', 'pause', 'resume'])('%s of an unknown task is 404', async (verb) => {
  for (const name of ['nothing', 'BACKUP', '__proto__', '%00']) {
    const answer = await gateway.admin.post(`/admin/upkeep/${name}/${verb}`);
    expect([name, answer.status, answer.body.code]).toEqual([name, 404, 'not_found']);
  }
});

test('a task that is triggered while it runs is not started a second time', async () => {
  await gateway.stopWorker();
  const before = await taskOf(gateway, 'audit-purge');
  expect((await ask('POST', '/admin/upkeep/audit-purge/trigger')).status).toBe(202);
  await until('the task runs', async () => (await taskOf(gateway, 'audit-purge')).running);
  const taken = async () => (await temporal.schedule('audit-purge').describe()).info;
  const { numActionsTaken } = await taken();
  expect((await ask('POST', '/admin/upkeep/audit-purge/trigger')).status).toBe(202);
  await until('the second run is skipped', async () => (await taken()).numActionsSkippedOverlap >= 1);
  expect((await taken()).numActionsTaken).toBe(numActionsTaken);
  expect((await taskOf(gateway, 'audit-purge')).last_run).toEqual(before.last_run);
  await gateway.startWorker();
  await until('the task has ended', async () => !(await taskOf(gateway, 'audit-purge')).running);
});

test('a failed task shows the reason, without details of the database', async () => {
  await gateway.database.pool.query('alter table event_stats rename to event_stats_away');
  onTestFinished(async () => {
    await gateway.rows('alter table event_stats_away rename to event_stats');
  });
  await ask('POST', '/admin/upkeep/retention/trigger');
  const handle = await until('the task runs', async () => {
    const { info } = await temporal.schedule('retention').describe();
    return info.runningActions.at(-1)?.workflow.workflowId;
  });
  // Otherwise the activity would be retried four times.
  await until('the task has failed once', async () => {
    const { raw } = await temporal.client.workflow.getHandle(handle).describe();
    return raw.pendingActivities?.[0]?.lastFailure?.message?.includes('the database could not be used');
  });
  await temporal.client.workflow.getHandle(handle).cancel();
  await until('the task has ended', async () => !(await taskOf(gateway, 'retention')).running);
  expect((await taskOf(gateway, 'retention')).last_run).toMatchObject({ outcome: 'cancelled', result: null });
});

test('a task whose schedule was deleted in Temporal cannot be triggered', async () => {
  await temporal.schedule('sweep').delete();
  expect(await taskOf(gateway, 'sweep')).toMatchObject({ scheduled: false, next_run_at: null, last_run: null });
  expect((await ask('GET', '/admin/upkeep/sweep/runs')).body).toEqual([]);
  for (const verb of ['trigger', 'pause', 'resume']) {
    const answer = await ask('POST', `/admin/upkeep/sweep/${verb}`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
  }
});
