import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { lowestId } from '../../src/events/queue.ts';
import { listProcesses } from '../../src/processes/process-rows.ts';
import { withClient } from '../support/one-connection.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { until } from '../support/until.ts';

const stage = useQueueStage();

/** An event that only needs its workflow. */
async function settledEvent(): Promise<string> {
  const ids = await stage.send(await stage.account(), 1);
  await stage.move(ids, 2);
  return ids[0] ?? '';
}
const claim = (token: string) =>
  claimSettledForStart(stage.gateway.database, { all: true, after: lowestId, limit: 1, token });
const isClaimed = async (id: string) =>
  (await stage.gateway.rows('select from event_queue where event_id = $1 and claimed_until > now()', [id])).length > 0;

/** A process that stops, and another one that has looked for claims of unknown processes, as each does once after its start. */
async function twoProcesses() {
  const id = await settledEvent();
  await claim(randomUUID());
  // The other one: it starts first, so it also looks first.
  await stage.alive();
  const stopping = await stage.alive();
  await until('the other has looked', async () => !(await isClaimed(id)));
  await stage.gateway.rows('delete from event_queue');
  return stopping;
}

test('a process that stops is no longer listed', async () => {
  const { claims, heartbeat } = await stage.alive();
  await heartbeat.stop();
  const listed = await listProcesses(stage.gateway.database);
  expect(listed.map(({ id }) => id)).not.toContain(claims.token);
});

test('a process that stops releases all its claims', async () => {
  const { claims, heartbeat } = await stage.alive();
  const id = await settledEvent();
  // Its own comparison, every 10 s, must not end it.
  claims.hold(id);
  await claim(claims.token);
  expect(await isClaimed(id)).toBe(true);
  await heartbeat.stop();
  expect(await isClaimed(id)).toBe(false);
});

test('a claim that is locked while its process stops is taken over', async () => {
  const { claims, heartbeat } = await twoProcesses();
  const id = await settledEvent();
  // Its own comparison, every 10 s, must not end it.
  claims.hold(id);
  await claim(claims.token);
  await withClient(stage.gateway.databaseUrl, async (holder) => {
    await holder.query('begin');
    await holder.query('select from event_queue where event_id = $1 for update', [id]);
    await heartbeat.stop();
    expect(await isClaimed(id)).toBe(true);
  });
  await until('the claim has ended', async () => !(await isClaimed(id)));
});

test('a claim whose answer was lost and that is committed after its process has stopped is taken over', async () => {
  const { claims, heartbeat } = await twoProcesses();
  const id = await settledEvent();
  claims.doubt();
  await heartbeat.stop();
  await claim(claims.token);
  await until('the claim has ended', async () => !(await isClaimed(id)));
});
