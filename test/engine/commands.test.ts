import { expect, test } from 'vitest';
import { workflowId } from '../../src/engine/workflow-engine.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { until } from '../support/until.ts';
import { replayBeforeRead } from './replay-before-read.ts';

const stage = useQueueStage();

/** An event outside of the queue whose manual attempt was requested this long ago. */
async function retryOf(age: string): Promise<string> {
  const [id = ''] = await stage.send(await stage.account(), 1);
  await stage.move([id], 1);
  await stage.gateway.rows('delete from event_queue where event_id = $1', [id]);
  expect((await stage.gateway.admin.post(`/admin/delivery/retry/${id}`)).status).toBe(202);
  await stage.gateway.rows('update event_commands set created_at = now() - $2::interval where event_id = $1', [
    id,
    age,
  ]);
  return id;
}
/** The command of an event; `wait_s`: the seconds until it can be claimed. */
async function commandOf(id: string): Promise<{ claim_token: string | null; wait_s: number | null } | undefined> {
  const [row] = await stage.gateway.rows(
    'select claim_token, extract(epoch from claimed_until - now())::float8 as wait_s from event_commands where event_id = $1',
    [id],
  );
  return row && { claim_token: row.claim_token, wait_s: row.wait_s };
}
const started = (engine: keyof typeof stage.engines) => {
  const { link, commands } = stage.process();
  link.set(stage.engines[engine]);
  commands.start();
  return commands;
};

test('a command that Temporal refuses waits about as long as it has waited so far, at most ten minutes', async () => {
  const [recent, old] = [await retryOf('4 min'), await retryOf('3 h')];
  started('invalid');
  for (const [id, leastS, mostS] of [
    [recent, 200, 300],
    [old, 550, 600],
  ] as const) {
    const command = await until('the command waits', async () => {
      const one = await commandOf(id);
      return one?.claim_token === null && one.wait_s !== null && one.wait_s > leastS && one;
    });
    expect(command.wait_s).toBeLessThanOrEqual(mostS);
  }
});

test('a command that Temporal has refused for a day is discarded', async () => {
  const id = await retryOf('25 h');
  started('invalid');
  await until('the command is discarded', async () => (await commandOf(id)) === undefined);
  // Nothing waits for the attempt any more.
  const [event] = await stage.gateway.rows('select manual_attempts from events where id = $1', [id]);
  expect(event).toEqual({ manual_attempts: 0 });
});

test('a command that was refused is passed on when Temporal accepts it, however old it is', async () => {
  const id = await retryOf('25 h');
  started('up');
  await until('the command is passed on', async () => (await commandOf(id)) === undefined);
  expect((await stage.workflow.getHandle(workflowId(id)).describe()).status.name).toBe('RUNNING');
});

test('a command is not discarded while Temporal is unavailable, however old it is', async () => {
  const id = await retryOf('25 h');
  started('refusing');
  // It is claimed again each second, for longer than it waits.
  const { wait_s } = await until('the command waits', async () => {
    const command = await commandOf(id);
    return command?.claim_token === null && command.wait_s !== null && command;
  });
  expect(wait_s).toBeLessThanOrEqual(1);
});

test('a retry waits when a replay is committed between its claim and its signal', async () => {
  const id = await retryOf('0 s');
  const replayed = replayBeforeRead(stage.gateway.admin, id);
  const commands = started('up');
  await replayed;
  await commands.stop();
  expect(await commandOf(id)).toMatchObject({ claim_token: null });
  // It would make the first attempt at the same time as an api.
  await expect(stage.workflow.getHandle(workflowId(id)).describe()).rejects.toThrow();
});
