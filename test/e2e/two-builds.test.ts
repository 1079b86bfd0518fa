import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import { lockKeys } from '../../src/database/lock-keys.ts';
import type { upkeep } from '../../workflows/index.ts';
import { send } from '../support/admin-client.ts';
import { backupFolder } from '../support/backup-folder.ts';
import { startConsumer } from '../support/consumer.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { openClient } from '../support/one-connection.ts';
import { ownLocks } from '../support/own-locks.ts';
import { roleHere } from '../support/role-here.ts';
import { connectTo } from '../support/temporal-connection.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

// Workers of two builds run side by side while the current build changes under load (docs/changing-a-workflow.md).

/** Roles of a gateway whose events wait some seconds for their second attempt. */
async function stage() {
  const roles = await migratedRoles({
    API_DELIVERS: 'false',
    // Long enough for a change of the build on a busy machine, before an event is exhausted.
    DELIVERY_SCHEDULE: Array(9).fill('15s').join(),
    BACKUP_DIR: backupFolder(),
    TEMPORAL_DEPLOYMENT_NAME: '',
    TEMPORAL_WORKER_BUILD_ID: '',
  });
  const deploymentName = `test-${roles.variables.TEMPORAL_TASK_QUEUE}`;
  const of = (build: string) => ({ TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: build });
  const connection = await forTest(connectTo(inject('temporalAddress')));
  const { workflow } = new Client({ connection });
  return {
    ...{ roles, workflow, deploymentName },
    worker: (build: string | null) => roles.workerHere(build === null ? {} : of(build)),
    async promote(build: string) {
      const role = roleHere('promote', { ...roles.variables, ...of(build) });
      const { code } = await role.exited;
      if (code !== 0) throw new Error(role.stderr());
    },
    /** The build of each completed workflow task, and how the workflow was started. */
    async historyOf(workflowId: string) {
      const { events } = await workflow.getHandle(workflowId).fetchHistory();
      const tasks = (events ?? []).flatMap((event) => event.workflowTaskCompletedEventAttributes ?? []);
      return {
        builds: tasks.map(({ deploymentVersion }) => deploymentVersion?.buildId ?? null),
        eager: events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted ?? null,
        failures: (events ?? []).flatMap((event) => event.workflowTaskFailedEventAttributes ?? []),
      };
    },
  };
}

/** Sends webhooks until it is stopped, and returns the ids of their events. */
function load(baseUrl: string, account: { provider: string; account_slug: string }) {
  let isOver = false;
  const ids: string[] = [];
  const sending = (async () => {
    for (let n = 0; !isOver; n++) {
      const { status, body } = await send(baseUrl, account, `{"id":"load-${n}"}`);
      expect(status).toBe(202);
      ids.push(body.id);
      await sleep(250);
    }
  })();
  return async () => {
    isOver = true;
    await sending;
    return ids;
  };
}

test('under load, waiting deliveries continue on the new build, and a pinned purge ends on the old one', async () => {
  const { roles, workflow, deploymentName, worker, promote, historyOf } = await stage();
  const api = await roles.apiHere();
  const old = await worker('one');
  await promote('one');
  const flaky = await startConsumer(500);
  const steady = await startConsumer(200);
  onTestFinished(async () => {
    await Promise.all([flaky.close(), steady.close()]);
  });
  const waitingAccount = await api.admin.createAccount({ delivery_url: flaky.url });
  const account = await api.admin.createAccount({ delivery_url: steady.url });
  const stopLoad = load(api.baseUrl, account);
  const waiting: string[] = [];
  for (let n = 0; n < 10; n++) waiting.push((await send(api.baseUrl, waitingAccount, `{"id":"${n}"}`)).body.id);
  for (const id of waiting) await api.admin.eventually(id, (event) => event.attempts >= 1);
  // The purge waits for this lock.
  const holder = await openClient(roles.databaseUrl);
  await holder.query('select pg_advisory_lock($1)', [lockKeys.auditChain]);
  const purge = await workflow.start<typeof upkeep>('upkeep', {
    workflowId: `purge-${deploymentName}`,
    taskQueue: roles.variables.TEMPORAL_TASK_QUEUE ?? '',
    args: [{ task: 'audit-purge', olderThanDays: 90 }],
  });
  await until('the purge waits', async () => {
    const { rows } = await holder.query(`select from ${ownLocks} where locktype = 'advisory' and not granted`);
    return rows.length > 0;
  });
  await worker('two');
  await promote('two');
  flaky.replies = [200];
  for (const id of waiting) await api.admin.eventually(id, (event) => event.delivery_status === 'delivered');
  await holder.end();
  expect(await purge.result()).toMatchObject({ outcome: 'completed' });
  const ids = await stopLoad();
  for (const id of ids) await api.admin.eventually(id, (event) => event.delivery_status === 'delivered');
  await old.stop();

  for (const id of waiting) {
    const { builds, failures } = await historyOf(`event-${id}`);
    expect(failures).toEqual([]);
    expect(builds[0]).toBe('one');
    expect(builds.at(-1)).toBe('two');
  }
  const { builds } = await historyOf(purge.workflowId);
  expect(new Set(builds)).toEqual(new Set(['one']));
  const loaded = await Promise.all(ids.map((id) => historyOf(`event-${id}`)));
  // Eager start works with builds, too (docs/changing-a-workflow.md), for a worker that has a slot at that moment.
  for (const build of ['one', 'two'])
    expect(loaded.filter(({ builds, eager }) => builds[0] === build && eager)).not.toEqual([]);
  expect(loaded[0]?.builds).toContain('one');
  // The dispatcher of the old worker may have started it: then its first task ran there, and the next one on the new build.
  expect(loaded.at(-1)?.builds.at(-1)).toBe('two');
});
