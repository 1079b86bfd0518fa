import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { lowestId } from '../../src/events/queue.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { until } from '../support/until.ts';

const stage = useQueueStage();

/** A process that this test keeps alive, and its claim of an event. */
async function otherProcess(alive: string): Promise<{ token: string; event: string }> {
  const token = randomUUID();
  await stage.gateway.rows(
    `insert into processes (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
     values ($1, 'api', 'elsewhere', 1, '0', true, now(), now() + $2::interval, 0)`,
    [token, alive],
  );
  await stage.move(await stage.send(await stage.account(), 1), 2);
  const { claimed } = await claimSettledForStart(stage.gateway.database, {
    ...{ all: true, after: lowestId, limit: 1, token },
  });
  const event = claimed[0]?.eventId ?? '';
  return { token, event };
}

async function holderOf(event: string): Promise<string | undefined> {
  const [row] = await stage.gateway.rows(
    'select claim_token from event_queue where event_id = $1 and claimed_until > now()',
    [event],
  );
  return row?.claim_token;
}

test('after a standstill of all, a process lets the others write their rows before it judges them', async () => {
  const { heartbeat } = await stage.alive();
  const dead = await otherProcess('0 s');
  await until('its first claims of others are ended', async () => (await holderOf(dead.event)) === undefined);

  const living = await otherProcess('5 s');
  // As when the machine is suspended: no timer runs, and the rows become old.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
  expect(heartbeat.isAlive).toBe(false);
  await until('it is alive again', () => heartbeat.isAlive);
  await stage.gateway.rows(`update processes set alive_until = now() + interval '1 h' where token = $1`, [
    living.token,
  ]);

  const later = await otherProcess('0 s');
  await until('it judges again', async () => (await holderOf(later.event)) === undefined);
  expect(await holderOf(living.event)).toBe(living.token);
});
