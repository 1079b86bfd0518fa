import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type ConsumersToClaim, claimForAttempt } from '../../src/attempts/claim.ts';
import { claimPendingForStart, claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { pauseDelivery, resumeDelivery } from '../../src/events/pause.ts';
import { lowestId } from '../../src/events/queue.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { addNotifications } from '../../src/notifications/add-notifications.ts';
import { handBackClaims } from '../../src/processes/claim-returns.ts';
import { outcomeOf } from '../support/received.ts';
import { useGateway } from '../support/use-gateway.ts';

let crowd: string;
let single: string;
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  // The account with many events is older, so it comes first in the order of claims.
  const many = await gateway.admin.createAccount({});
  const few = await gateway.admin.createAccount({});
  [crowd, single] = [many.id, few.id];
  await Promise.all(Array.from({ length: 40 }, (_, n) => gateway.send(many, JSON.stringify({ id: `crowd-${n}` }))));
  await gateway.send(few, '{"id":"single"}');
});

const owner = { token: randomUUID() };
const everyone = { kind: 'all', after: lowestId } as const;
const ample = { of: new Map<string, number>(), others: 64 };
const ten = { ...owner, scope: everyone, room: ample, limit: 10 };
const claimsOf = (ids: string[]) => ids.map((eventId) => ({ eventId, generation: 0, token: owner.token }));
const release = (lane: number) =>
  gateway.database.pool.query('update event_queue set claimed_until = null, claim_token = null, lane = $1', [lane]);

test('a claim of first attempts takes events of every account', async () => {
  await release(0);
  const { claimed, next } = await claimForAttempt(gateway.database, ten);
  const owners = await gateway.rows('select account_id from event_queue where event_id = any($1)', [
    claimed.map(({ eventId }) => eventId),
  ]);
  expect(owners.filter(({ account_id }) => account_id === single)).toHaveLength(1);
  expect(owners.filter(({ account_id }) => account_id === crowd)).toHaveLength(5);
  expect(next).toBeNull();
});

test('a claim of first attempts takes events again whose claim has ended or that were handed back', async () => {
  await release(0);
  const options = { scope: everyone, room: ample, limit: 100 };
  const first = await claimForAttempt(gateway.database, { ...options, token: randomUUID() });
  expect(first.claimed).toHaveLength(41);
  const again = async () =>
    (await claimForAttempt(gateway.database, { ...options, ...owner })).claimed.map(({ eventId }) => eventId).sort();
  expect(await again()).toEqual([]);
  // As those of a process that has died.
  await gateway.database.pool.query('update event_queue set claimed_until = now()');
  const ids = first.claimed.map(({ eventId }) => eventId).sort();
  expect(await again()).toEqual(ids);
  await handBackClaims(gateway.database, claimsOf(ids), 0);
  expect(await again()).toEqual(ids);
});

test('an event that waits for its workflow is claimed for no first attempt, also after its claim was handed back', async () => {
  await release(1);
  // A start whose answer was lost: the workflow may run, and then makes the first attempt.
  const { claimed } = await claimPendingForStart(gateway.database, {
    ...owner,
    after: lowestId,
    limit: 10,
    waited: false,
  });
  const ids = claimed.map(({ eventId }) => eventId).sort();
  expect(ids).toHaveLength(6);
  await handBackClaims(gateway.database, claimsOf(ids), 0);
  const lanesOf = 'select lane, claim_token from event_queue where event_id = any($1)';
  expect((await gateway.database.pool.query(lanesOf, [ids])).rows).toEqual(
    ids.map(() => ({ lane: 1, claim_token: null })),
  );
  const options = { ...owner, scope: everyone, room: ample, limit: 100 };
  expect((await claimForAttempt(gateway.database, options)).claimed).toEqual([]);
  const starts = await claimPendingForStart(gateway.database, { ...owner, after: lowestId, limit: 100, waited: false });
  expect(starts.claimed.map(({ eventId }) => eventId)).toEqual(expect.arrayContaining(ids));
});

test('a claim of known accounts takes their events from a position on, and those of no other account', async () => {
  await release(0);
  const { rows } = await gateway.database.pool.query<{ event_id: string }>(
    'select event_id from event_queue where account_id = $1 order by event_id',
    [crowd],
  );
  const ids = rows.map(({ event_id }) => event_id);
  const scope: ConsumersToClaim = { kind: 'known', consumers: [{ id: crowd, after: ids[9] ?? '' }] };
  const { claimed, visited, next } = await claimForAttempt(gateway.database, {
    ...{ ...owner, scope, room: ample },
    limit: 4,
  });
  expect(claimed.map(({ eventId }) => eventId).sort()).toEqual(ids.slice(10, 14));
  expect(visited).toEqual([{ consumerId: crowd, most: 4, maySend: true }]);
  expect(next).toBeNull();
});

test('an account without a free slot is skipped', async () => {
  await release(0);
  const { claimed } = await claimForAttempt(gateway.database, {
    ...ten,
    room: { of: new Map([[crowd, 0]]), others: 64 },
  });
  expect(claimed.map(({ accountId }) => accountId)).toEqual([single]);
});

test('nothing is claimed for a first attempt while deliveries are paused, and the round is complete', async () => {
  await release(0);
  await pauseDelivery(gateway.database, '');
  expect(await claimForAttempt(gateway.database, ten)).toMatchObject({ claimed: [], next: null });
  await resumeDelivery(gateway.database);
  expect((await claimForAttempt(gateway.database, ten)).claimed).toHaveLength(6);
});

test('a claim of pending starts takes events of every account', async () => {
  await release(1);
  const { claimed } = await claimPendingForStart(gateway.database, {
    ...owner,
    after: lowestId,
    limit: 10,
    waited: false,
  });
  const owners = await gateway.rows('select account_id from event_queue where event_id = any($1)', [
    claimed.map(({ eventId }) => eventId),
  ]);
  expect(owners.filter(({ account_id }) => account_id === single)).toHaveLength(1);
  expect(owners.filter(({ account_id }) => account_id === crowd)).toHaveLength(5);
});

test('claims of settled starts take the oldest events, and the next one continues after the last', async () => {
  await release(2);
  const { rows } = await gateway.database.pool.query<{ event_id: string }>(
    'select event_id from event_queue order by 1',
  );
  const ids = rows.map(({ event_id }) => event_id);
  const first = await claimSettledForStart(gateway.database, { all: true, ...owner, after: lowestId, limit: 10 });
  expect(first.claimed.map(({ eventId }) => eventId)).toEqual(ids.slice(0, 10));
  await release(2);
  const second = await claimSettledForStart(gateway.database, {
    all: true,
    ...owner,
    after: first.next ?? '',
    limit: 100,
  });
  expect(second.claimed.map(({ eventId }) => eventId)).toEqual(ids.slice(10));
  expect(second.next).toBeNull();
});

test('claims of one pending start at a time serve one account after the other', async () => {
  await release(1);
  const served: (string | undefined)[] = [];
  let after: string | null = lowestId;
  for (let n = 0; n < 4; n++) {
    const round = await claimPendingForStart(gateway.database, { ...owner, after, limit: 1, waited: false });
    served.push(round.claimed[0]?.eventId);
    after = round.next ?? lowestId;
  }
  const owners = await gateway.rows(
    'select i.n, q.account_id from unnest($1::uuid[]) with ordinality as i (id, n) left join event_queue q on q.event_id = i.id order by i.n',
    [served.map((id) => id ?? null)],
  );
  // After the only event of the second account comes the end of the round, which is empty.
  expect(owners.map(({ account_id }) => account_id)).toEqual([crowd, single, null, crowd]);
});

test('a claim of known accounts that is cut short serves those that come first', async () => {
  for (const [first, second] of [
    [single, crowd],
    [crowd, single],
  ] as const) {
    await release(0);
    const consumers = [first, second].map((id) => ({ id, after: lowestId }));
    const scope: ConsumersToClaim = { kind: 'known', consumers };
    const { claimed } = await claimForAttempt(gateway.database, { ...owner, scope, room: ample, limit: 1 });
    expect(claimed.map(({ accountId }) => accountId)).toEqual([first]);
  }
});

test('settled events that are handed back are started soon only for a retry or for notifications', async () => {
  const { admin, database, rows } = gateway;
  const account = await admin.createAccount({});
  const destination = { name: 'told', destination_type: 'webhook', config: { url: 'https://told.example/' } };
  expect((await admin.post(`/admin/accounts/${account.id}/destinations`, destination)).status).toBe(201);
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await gateway.send(account, JSON.stringify({ id: `settled-${n}` }))).body.id);
  const [retried = '', dead = '', exhausted = ''] = ids;
  const claimAll = () =>
    rows(`update event_queue set claim_token = $2, claimed_until = 'infinity' where event_id = any($1)`, [
      ids,
      owner.token,
    ]);
  await claimAll();
  const recorder = new OutcomeRecorder(database, addNotifications({ burst: null }));
  const failed = { succeeded: false, claimToken: owner.token };
  await recorder.record(outcomeOf(retried, { claimToken: owner.token }));
  await recorder.record(outcomeOf(dead, failed));
  await recorder.record(outcomeOf(exhausted, { ...failed, last: true, nextAttemptAt: null }));
  await claimAll();
  expect((await admin.post(`/admin/delivery/retry/${retried}`)).status).toBe(202);
  expect((await admin.post(`/admin/events/${dead}/fail`, { dead: true })).status).toBe(200);
  const lanesOf = async () =>
    (await rows('select lane from event_queue where event_id = any($1) order by event_id', [ids])).map(
      ({ lane }) => lane,
    );
  expect(await lanesOf()).toEqual([1, 1, 1]);
  await handBackClaims(database, claimsOf(ids), 0);
  expect(await lanesOf()).toEqual([1, 2, 1]);
});
