import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { countProcesses, listProcesses } from '../../src/processes/process-rows.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { until } from '../support/until.ts';

const stage = useQueueStage();

test('the list says what each process is, and how many first attempts it makes', async () => {
  const account = await stage.account();
  const { claims, firstAttempts } = await stage.alive();
  await stage.alive({ makesFirstAttempts: false });
  await expect.poll(() => countProcesses(stage.gateway.database)).toEqual({ workers: 0, delivering: 1 });
  firstAttempts.start();
  const own = async () => (await listProcesses(stage.gateway.database)).find(({ id }) => id === claims.token);
  let isTold = false;
  // Each heartbeat tells only of the attempts since the one before.
  const sending = (async () => {
    while (!isTold) {
      await stage.send(account, 1);
      firstAttempts.wake();
    }
  })();
  try {
    const told = await until('the rate is told', async () => {
      const row = await own();
      return row !== undefined && row.first_attempts_per_s > 0 && row;
    });
    expect(told).toMatchObject({ role: 'api', pid: process.pid, makes_first_attempts: true, alive: true });
  } finally {
    isTold = true;
    await sending;
  }
});

test('a heartbeat finds the first attempts of living processes on its machine, and of no other', async () => {
  const { heartbeat } = await stage.alive();
  const beaten = (host: string, perS: number, untilS: number) =>
    stage.gateway.rows(
      `insert into processes (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
        values ($1, 'api', $2, 1, '0', true, now(), now() + make_interval(secs => $3), $4)`,
      [randomUUID(), host, untilS, perS],
    );
  await beaten(hostname(), 500, 60);
  await beaten(hostname(), 70, 60);
  await beaten(hostname(), 1_000, -1);
  await beaten('another', 2_000, 60);
  await until('both are counted', () => heartbeat.firstAttemptsPerSHere === 570);
  await stage.gateway.rows('delete from processes where pid = 1', []);
});
