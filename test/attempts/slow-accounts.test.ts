import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { receivedEvent } from '../support/received.ts';
import { heldBack } from '../support/replies.ts';
import { until } from '../support/until.ts';

// An api keeps 1,024 events in memory. The last 256 places are for accounts of which few events wait there.

const stage = useQueueStage();
type Account = Awaited<ReturnType<typeof stage.account>>;

/** A process that delivers, which has looked at the queue, so that it knows of no events that wait there. */
async function startedProcess({ accountConcurrency = 64 } = {}) {
  const process = stage.process({ accountConcurrency });
  process.firstAttempts.start();
  const probed = await stage.account();
  await stage.send(probed, 1);
  process.firstAttempts.wake();
  await until('it has delivered an event of the queue', () => probed.consumer.deliveries.length === 1);
  await until('its slot is free', () => process.attempts.slots.free(performance.now()).size === 0);
  const receiver = new EventReceiver(stage.gateway.database, () => process.firstAttempts.handOver);
  return {
    token: process.claims.token,
    /** Stores one event after another of each account. */
    async receive(accounts: readonly Account[], count: number, body = Buffer.from('body')): Promise<void> {
      for (let n = 0; n < count; n++) {
        const receipts = accounts.map((account) => receiver.receive(receivedEvent(account, { body })));
        expect(await Promise.all(receipts)).toEqual(accounts.map(() => ({ kind: 'stored' })));
      }
    },
    /** Stores events that arrive at the same moment. */
    receiveTogether: (account: Account, count: number) =>
      Promise.all(Array.from({ length: count }, () => receiver.receive(receivedEvent(account)))),
  };
}

const accountsOf = (count: number, reply: Parameters<typeof stage.account>[0]): Promise<Account[]> =>
  Promise.all(Array.from({ length: count }, () => stage.account(reply)));

/** How many events of the accounts are kept in memory, with their attempts in flight, and how many wait in the queue. */
async function placesOf(accounts: readonly Account[]) {
  const [row] = await stage.gateway.rows(
    `select count(claim_token)::integer as kept, (count(*) - count(claim_token))::integer as queued from event_queue
     where account_id = any($1)`,
    [accounts.map(({ id }) => id)],
  );
  return row;
}

/** Four accounts have filled the memory as far as they may. Their consumers answer when the test calls `release`. */
async function filledProcess() {
  const { release, reply } = heldBack();
  const process = await startedProcess();
  const slow = await accountsOf(4, reply);
  await process.receive(slow, 250);
  expect(await placesOf(slow)).toEqual({ kept: 768, queued: 232 });
  return { ...process, slow, reply, release };
}

test('while four accounts with slow consumers fill the memory, an event of another one is attempted from there', async () => {
  const { receive, token, release } = await filledProcess();
  const held = heldBack();
  const other = await stage.account(held.reply);
  await receive([other], 1);
  await until('it arrives', () => other.consumer.deliveries.length === 1);
  // Claimed by the statement that has stored it, and not from the queue.
  const row = await stage.gateway.rows(
    'select q.claim_token, q.xmin = e.xmin as at_once from event_queue q join events e on e.id = q.event_id where q.account_id = $1',
    [other.id],
  );
  expect(row).toEqual([{ claim_token: token, at_once: true }]);
  held.release();
  release();
});

test.each(['one after another', 'together'])(
  'a fifth slow account, whose events come %s, gets its slots and a short line of the kept places',
  async (how) => {
    const { receive, receiveTogether, reply, release } = await filledProcess();
    const fifth = await stage.account(reply);
    if (how === 'together') await receiveTogether(fifth, 200);
    else await receive([fifth], 200);
    // 64 attempts in flight, and 16 that wait.
    expect(await placesOf([fifth])).toEqual({ kept: 80, queued: 120 });
    release();
  },
);

test('when all places are taken, an event waits in the queue until one is free', async () => {
  const { receive, reply, release, slow } = await filledProcess();
  const more = await accountsOf(4, reply);
  await receive(more, 80);
  expect(await placesOf([...slow, ...more])).toEqual({ kept: 1_024, queued: 232 + 64 });
  const last = await stage.account();
  await receive([last], 1);
  // The process looks at the queue each second.
  await sleep(1_500);
  expect(await placesOf([last])).toEqual({ kept: 0, queued: 1 });
  expect(last.consumer.deliveries).toEqual([]);
  release();
  await until('it is delivered', () => last.consumer.deliveries.length === 1);
  const all = [...slow, ...more];
  await until('so are the others', () => all.flatMap(({ consumer }) => consumer.deliveries).length === 1_320);
  const ids = all.flatMap(({ consumer }) => consumer.deliveries).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1_320);
});

test('large events of an account with a slow consumer leave the memory room for a large one of another account', async () => {
  const { release, reply } = heldBack();
  const { receive } = await startedProcess({ accountConcurrency: 4 });
  const slow = await stage.account(reply);
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  await receive([slow], 70, megabyte);
  // Of 64 MiB, a quarter is kept for others.
  expect(await placesOf([slow])).toEqual({ kept: 48, queued: 22 });
  const held = heldBack();
  const other = await stage.account(held.reply);
  await receive([other], 1, megabyte);
  expect(await placesOf([other])).toEqual({ kept: 1, queued: 0 });
  held.release();
  release();
});
