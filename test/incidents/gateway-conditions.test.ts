import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { daysAhead, ensurePartitions, partitionName } from '../../src/database/partitions.ts';
import { dayMs } from '../../src/database/uuid-time.ts';
import { createGatewayWatch } from '../../src/incidents/gateway-watch.ts';
import { createIncidentJudge } from '../../src/incidents/judging/judge.ts';
import { conditionsOfApi, conditionsOfWorker } from '../../src/roles/gateway-conditions.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { TemporalHealth } from '../../src/temporal/temporal-health.ts';
import { fillEvents } from '../events/fill-events.ts';
import { migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { lacks } from '../support/may-skip/list.ts';
import { queryOnce } from '../support/one-connection.ts';
import { log } from '../support/runtime.ts';
import { smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { useDatabase } from '../support/use-database.ts';

// Temporal that stops is in processes.test.ts, and what a watch makes of conditions in gateway-watch.test.ts.

gatewaysEndWithTheirTest();
const database = useDatabase();

const [minuteMs, hourMs] = [60_000, 3_600_000];
const [slow, noBackup] = ['the database is slow', 'no backup has completed for 36 hours'];
const certificate = 'a client certificate of a consumer expires within 14 days';
const run = (text: string) => database.pool.query(text);

/** What a process sees that has just started: one that runs keeps what the database tells for a minute. */
const seen = async () => {
  const found = await conditionsOfApi({ database, folders: [], log })();
  // A busy machine may be slow by itself.
  return found.filter(({ cause }) => cause !== slow);
};

/** A gateway that lacks nothing: a worker and an api run, and tables are prepared. */
beforeAll(async () => {
  await ensurePartitions(database, new Date(), daysAhead);
  await run(
    `insert into processes (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
     select gen_random_uuid(), role, 'here', 1, '1', true, now(), 'infinity', 0 from unnest(array['api', 'worker']) role`,
  );
});

const starts = (count: number, since = 'now()') =>
  `insert into event_queue (event_id, account_id, generation, lane, lane_since)
   select gen_random_uuid(), gen_random_uuid(), 0, 2, ${since} from generate_series(1, ${count})`;
const backup = (status: string, age: string) =>
  `insert into backups (id, status, created_at, finished_at)
   select gen_random_uuid(), '${status}', ended, ended from (select now() - interval '${age}') as made (ended)`;

test.each([
  {
    ...{ why: '10,001 wait', cause: 'starts of workflows fall behind', afterMs: minuteMs },
    ...{ below: starts(10_000), above: starts(1), over: 'delete from event_queue' },
  },
  {
    ...{ why: 'one waits for five minutes', cause: 'starts of workflows fall behind', afterMs: minuteMs },
    below: starts(1, `now() - interval '4 minutes'`),
    above: `update event_queue set lane_since = now() - interval '5 minutes 1 second'`,
    over: 'delete from event_queue',
  },
  {
    ...{ why: 'all have failed, and then one completes', cause: noBackup, afterMs: 0 },
    below: backup('failed', '35 hours 59 minutes'),
    above: `${backup('failed', '36 hours 1 second')}; ${backup('running', '1 minute')}`,
    over: `update backups set status = 'completed', finished_at = now() where status = 'running'`,
  },
  {
    ...{ why: 'all have failed, and then backups are given up', cause: noBackup, afterMs: 0 },
    below: `delete from backups; ${backup('failed', '35 hours')}; ${backup('failed', '11 hours')}`,
    above: `update backups set created_at = created_at - interval '60 hours'`,
    over: `update backups set created_at = created_at - interval '1 hour 1 second'`,
  },
  {
    ...{ why: 'also if a newer one has failed', cause: noBackup, afterMs: 0 },
    below: `delete from backups; ${backup('completed', '35 hours 59 minutes')}`,
    above: `update backups set finished_at = now() - interval '36 hours 1 second'; ${backup('failed', '1 hour')}`,
    over: backup('completed', '0'),
  },
  {
    ...{ why: 'until it is gone', cause: certificate, afterMs: 0 },
    below: `
      insert into accounts (id, provider, account_slug, app_key, created_at, updated_at)
      values (gen_random_uuid(), 'generic', 'shop', 'tests', now(), now());
      insert into consumers (id, account_id, name, certificate_expires_at, created_at, updated_at)
      select gen_random_uuid(), id, 'billing', now() + interval '14 days 1 minute', now(), now() from accounts`,
    above: `update consumers set certificate_expires_at = now() + interval '14 days' - interval '1 second'`,
    over: 'update consumers set deleted_at = now()',
  },
  {
    ...{ cause: certificate, afterMs: 0, below: 'update consumers set deleted_at = null, enabled = false' },
    ...{ why: 'its consumer is enabled, until the account is not', above: 'update consumers set enabled = true' },
    over: 'update accounts set enabled = false',
  },
  {
    ...{ why: 'its heartbeat has ended, an api lives', cause: 'no worker runs', afterMs: minuteMs },
    below: `update processes set alive_until = now() + interval '1 minute' where role = 'worker'`,
    above: `update processes set alive_until = now() where role = 'worker'`,
    over: `update processes set alive_until = 'infinity'`,
  },
])('$cause: $why', async ({ cause, afterMs, below, above, over }) => {
  await run(below);
  expect(await seen()).toEqual([]);
  await run(above);
  expect(await seen()).toEqual([{ cause, afterMs }]);
  await run(over);
  expect(await seen()).toEqual([]);
});

test('an event that has been pending for longer than its retries take', async () => {
  const pendingFor = (ageMs: number) =>
    fillEvents(database, [
      {
        ...{ receivedAt: new Date(Date.now() - ageMs), accountId: '00000000-0000-7000-8000-000000000001' },
        ...{ provider: 'generic', accountSlug: 'shop', appKey: 'tests', eventType: null, externalId: 'x' },
        ...{ status: 'enqueued', deliveryStatus: 'pending', attempts: 9, deliveredAt: null },
        nextAttemptAt: new Date(Date.now() + hourMs),
      },
    ]);
  await pendingFor(4.5 * hourMs - minuteMs);
  expect(await seen()).toEqual([]);
  await pendingFor(4.5 * hourMs + 1_000);
  expect(await seen()).toEqual([{ cause: 'an event has been pending for more than 4.5 hours', afterMs: 0 }]);
  // While deliveries are paused, it waits for a person.
  await run(
    'insert into gateway_settings (key, value) values (\'delivery_paused\', \'{"since":"2026-11-01T00:00:00Z"}\')',
  );
  expect(await seen()).toEqual([]);
  await run("delete from gateway_settings where key = 'delivery_paused'");
  expect(await seen()).toHaveLength(1);
  await run(`update events set delivery_status = 'delivered', delivered_at = now(), next_attempt_at = null`);
  expect(await seen()).toEqual([]);
});

test('a day to come that lacks one of its tables', async () => {
  const now = new Date();
  const drop = (table: string, days: number) =>
    run(`drop table ${partitionName(table, new Date(now.getTime() + days * dayMs))}`);
  await drop('notifications', 4);
  expect(await seen()).toEqual([]);
  await drop('delivery_attempts', 3);
  expect(await seen()).toEqual([{ cause: 'tables for fewer than 3 days are prepared', afterMs: 5 * minuteMs }]);
  await ensurePartitions(database, now, daysAhead);
  expect(await seen()).toEqual([]);
});

test('a worker sees what an api sees, and whether Temporal answers it', async () => {
  await run(starts(10_001));
  const read = conditionsOfWorker({ database, folders: [], log, temporal: new TemporalHealth() });
  const causes = (await read()).map(({ cause }) => cause).filter((cause) => cause !== slow);
  expect(causes).toEqual(['starts of workflows fall behind', 'Temporal does not answer']);
  await run('delete from event_queue');
  // A process asks the database for these once a minute only.
  expect((await read()).map(({ cause }) => cause)).toContain('starts of workflows fall behind');
});

test('a database that takes more than a second for nothing is slow', async () => {
  const own = await forTest(openDatabase({ url: database.url, log, maxConnections: 1 }));
  const read = conditionsOfApi({ database: own, folders: [], log });
  /** What is seen while the only connection is busy. */
  const whileBusy = async (seconds: number) => {
    const busy = own.pool.query('select pg_sleep($1)', [seconds]);
    const found = await read();
    await busy;
    return found;
  };
  await read();
  expect(await whileBusy(1.1)).toEqual([{ cause: slow, afterMs: 10_000 }]);
  await until('a quarter of a second is not slow', async () => (await whileBusy(0.25)).length === 0);
});

test('a database that is away is an error, until it is back', async () => {
  const own = await forTest(openDatabase({ url: await migratedDatabase(), log }));
  const read = conditionsOfApi({ database: own, folders: [], log });
  await read();
  const server = inject('postgresUrl');
  const name = new URL(own.url).pathname.slice(1);
  await queryOnce(server, `alter database ${name} allow_connections false`);
  try {
    await queryOnce(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await expect(read()).rejects.toThrow();
  } finally {
    await queryOnce(server, `alter database ${name} allow_connections true`);
  }
  await until('it answers again', read, { retryErrors: true });
});

/** A disk that exists until the test ends. */
async function mountedDisk(bytes: number) {
  const disk = smallDisk(bytes);
  const [program = '', ...args] = [...disk.within, 'cat'];
  const holder = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await forTest({
    async stop() {
      const exited = once(holder, 'exit');
      holder.stdin.end();
      await exited;
    },
  });
  holder.stdin.write('mounted');
  await once(holder.stdout, 'data');
  return disk.seenIn(holder.pid ?? 0);
}

test.skipIf(lacks('mounts'))('a disk with less than 5 % is an incident, until it has room again', async () => {
  const folder = await mountedDisk(10 * 1024 ** 2);
  const backups = join(folder, 'data', 'backups');
  mkdirSync(backups, { recursive: true });
  const folders = [join(folder, 'data'), null, backups, join(folder, 'missing')];
  const read = conditionsOfApi({ database, folders, log });
  // Longer than a busy machine keeps the watch from reporting. Without reports for this time, the incident would end.
  const pace = { judgeMs: 50, times: { quietS: 10 } };
  const judge = createIncidentJudge({ database, tell: async () => undefined, log, pace });
  let looks = 0;
  const conditions = async () => {
    const found = (await read()).filter(({ cause }) => cause !== slow);
    looks += 1;
    return found;
  };
  const watch = createGatewayWatch({ sql: database, conditions, log, watchMs: 50, onOpening: () => judge.wake() });
  await forTest(judge);
  await forTest(watch);
  const incidents = async () => (await run('select kind, cause, state from incidents')).rows;

  const ballast = join(folder, 'ballast');
  const { blocks, bsize, bavail } = statfsSync(folder);
  writeFileSync(ballast, Buffer.alloc((bavail - blocks * 0.05) * bsize));
  expect(statfsSync(folder).bavail).toBe(blocks * 0.05);
  judge.start();
  watch.start();
  await until('the watch has looked', () => looks > 3);
  expect(await incidents()).toEqual([]);

  appendFileSync(ballast, 'x');
  await until('an incident is open', async () => (await incidents()).length > 0);
  const cause = `the disk at ${folder} is nearly full`;
  expect(await incidents()).toEqual([{ kind: 'gateway', cause, state: 'open' }]);
  expect(await conditions()).toEqual([{ cause, afterMs: 0 }]);

  rmSync(ballast);
  await until('it is resolved', async () => (await incidents())[0]?.state === 'resolved');
});
