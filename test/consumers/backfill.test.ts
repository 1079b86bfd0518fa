import { expect, test } from 'vitest';
import { bulkWorkerOf, entriesOfJob, orderPath, readJob, workOff } from '../events/bulk/support.ts';
import { collectLines } from '../support/runtime.ts';
import { secretText } from '../support/secrets.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';
import { pastOf, since } from './backfill-support.ts';

const gateway = useGatewayPerTest({ worker: false });

const shown = (answer: { events: { id: string }[] }) => answer.events.map(({ id }) => id);

test('a new consumer gets an event of each stored webhook that meets its condition, and a second backfill makes none', async () => {
  const { account, consumers, send, ordered, dry, events, webhooksOf } = await pastOf(gateway);
  const [one = '', two = '', three = ''] = await send({ n: 1 }, { n: 2 }, { n: 3 });
  const other = await pastOf(gateway);
  await other.send({ n: 5 });
  const late = await consumers.made('late', { condition: 'payload.n > 1' });
  const [own = ''] = await send({ n: 4 });
  expect(await webhooksOf(late)).toEqual([own]);

  const planned = await dry('late');
  expect(planned).toMatchObject({ dry_run: true, matched: 2, exact: true });
  expect(planned.events).toMatchObject([
    { id: two, consumer: 'default', backfilled_at: null },
    { id: three, consumer: 'default' },
  ]);
  expect(await webhooksOf(late)).toEqual([own]);

  const job = await ordered('late', { per_second: 1_000 });
  expect(job).toMatchObject({
    ...{ action: 'backfill', state: 'running', total: 2, matched: 0, done: 0, ids: null, ordered_by: 'tester' },
    ...{ account_id: account.id, consumer: 'late', condition: null, per_second: 1_000 },
    filter: { since: new Date(since).toISOString() },
  });
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', reason: null, matched: 2, done: 2, failed: 0 });
  expect(await webhooksOf(late)).toEqual([two, three, own]);

  const [made] = await events(late);
  const [first] = await gateway.rows('select * from events where id = $1', [two]);
  expect(made).toMatchObject({
    ...{ request_id: two, consumer_id: late.id, account_id: account.id, provider: first?.provider },
    ...{ account_slug: first?.account_slug, app_key: first?.app_key, event_type: first?.event_type },
    ...{ external_id: first?.external_id, received_at: first?.received_at, status: 'received' },
    ...{ delivery_status: 'pending', generation: 0, attempts: 0, skipped_reason: null, next_attempt_at: null },
    ...{ lane: 1, direct: true, queued_for: late.id },
  });
  expect(made.id.slice(0, 13)).toBe(two.slice(0, 13));
  expect(made.backfilled_at).toEqual(made.generation_at);
  expect(made.backfilled_at > made.received_at).toBe(true);
  const read = (await gateway.admin.request('GET', `/admin/events/${made.id}`)).body;
  expect(read).toMatchObject({ request_id: two, consumer: 'late', payload: { n: 2 } });
  expect(read.backfilled_at).toBe(made.backfilled_at.toISOString());

  expect(await dry('late')).toEqual({ dry_run: true, matched: 0, exact: true, events: [] });
  const again = await ordered('late');
  await workOff(gateway);
  expect(await readJob(gateway, again.id)).toMatchObject({ state: 'done', total: 0, matched: 0, done: 0 });
  expect(await webhooksOf(late)).toEqual([two, three, own]);
  expect(await webhooksOf(account)).toEqual([one, two, three, own]);
});

test('both conditions select, and a condition that needs too much work counts as met', async () => {
  const { consumers, send, ordered, dry, webhooksOf } = await pastOf(gateway);
  const [, two = '', three = '', long = ''] = await send(
    { n: 1, type: 'a' },
    { n: 2, type: 'a' },
    { n: 2, type: 'b' },
    { n: 2, type: 'a', text: 'x'.repeat(20_000) },
  );
  const late = await consumers.made('late', { condition: 'payload.n == 2' });
  expect(shown(await dry('late', { condition: 'event_type == "b"' }))).toEqual([three]);
  // A pattern searches 8,192 characters at most.
  expect(shown(await dry('late', { condition: 'matches(payload.text, "nowhere")' }))).toEqual([long]);
  expect(shown(await dry('late', { condition: 'header["content-type"] == "application/json"' }))).toHaveLength(3);
  expect(shown(await dry('late', { condition: null }))).toHaveLength(3);
  const job = await ordered('late', { condition: 'event_type == "a"' });
  expect(job).toMatchObject({ condition: 'event_type == "a"', per_second: 50, total: 2 });
  await workOff(gateway);
  expect(await webhooksOf(late)).toEqual([two, long]);
});

test('the log says once that a condition of a backfill needs too much work', async () => {
  const lines = collectLines('condition of a backfill needs too much work for a webhook, it counts as met');
  const { account, consumers, send, ordered } = await pastOf(gateway);
  await send({ text: 'x'.repeat(20_000) }, { text: 'short' }, { text: 'y'.repeat(20_000) });
  await consumers.made('late');
  const job = await ordered('late', { condition: 'matches(payload.text, "nowhere")' });
  await workOff(gateway);
  expect(lines).toMatchObject([{ job_id: job.id, accountId: account.id, webhooks: 2 }]);
});

test('a skipped webhook keeps its row, and its new event is a sibling', async () => {
  const { account, consumers, send, ordered, events } = await pastOf(gateway);
  await consumers.patch('default', { condition: 'payload.n > 5' });
  const [skipped = '', wanted = ''] = await send({ n: 1 }, { n: 9 });
  await consumers.patch('default', { condition: null });
  const job = await ordered('default');
  expect(job.total).toBe(1);
  await workOff(gateway);
  const [made, untouched, ...more] = await events(account);
  expect(more).toEqual([]);
  expect(made).toMatchObject({ request_id: skipped, consumer_id: null, delivery_status: 'pending' });
  expect(made).toMatchObject({ queued_for: account.id, direct: true });
  expect(untouched).toMatchObject({ id: wanted, request_id: null, backfilled_at: null });
  const kept = (await gateway.admin.request('GET', `/admin/events/${skipped}`)).body;
  expect(kept).toMatchObject({ status: 'enqueued', delivery_status: null, skipped_reason: 'no_consumer_matched' });
  expect(kept.siblings).toMatchObject([{ id: made.id, consumer: 'default' }]);
});

test('rejected webhooks are left out', async () => {
  const closed = { skip_signature_verification: false, signing_secret_current: secretText('closed-secret') };
  const { account, consumers, dry } = await pastOf(gateway, closed);
  expect((await gateway.send(account, '{"id":"forged"}', { 'x-secret': 'guess' })).status).toBe(401);
  await consumers.made('late');
  expect(await dry('late')).toMatchObject({ matched: 0, exact: true });
});

test('only webhooks received from since on and before until are looked at', async () => {
  const { consumers, send, dry, ordered, webhooksOf } = await pastOf(gateway);
  const ids = await send({ n: 1 }, { n: 2 }, { n: 3 });
  const late = await consumers.made('late');
  // Ids have the time of receipt in milliseconds.
  const msOf = (id = '') => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const [first, second, third] = ids.map(msOf);
  const iso = (ms = 0) => new Date(ms).toISOString();
  expect(shown(await dry('late', { since: iso(second), until: iso(third) }))).toEqual([ids[1]]);
  expect(shown(await dry('late', { since: iso(first), until: iso(third) }))).toEqual([ids[0], ids[1]]);
  expect(shown(await dry('late', { since: iso((first ?? 0) + 1) }))).toEqual([ids[1], ids[2]]);
  await ordered('late', { since: iso(second), until: iso(third) });
  await workOff(gateway);
  expect(await webhooksOf(late)).toEqual([ids[1]]);
});

test('a dry run shows the first twenty, and the audit log says what was asked', async () => {
  const { account, consumers, send, dry } = await pastOf(gateway);
  const ids = await send(...Array.from({ length: 25 }, (_, n) => ({ n })));
  await consumers.made('late');
  const answer = await dry('late', { condition: 'payload.n >= 1' });
  expect(answer).toMatchObject({ matched: 24, exact: true });
  expect(shown(answer)).toEqual(ids.slice(1, 21));
  expect(await gateway.rows('select 1 from bulk_jobs')).toEqual([]);
  const [entry] = await gateway.rows(`select actor, details from audit_logs where action = 'consumer.backfill'`);
  expect(entry).toMatchObject({
    actor: 'tester',
    details: {
      ...{ status: 200, dry_run: true, matched: 24, account_id: account.id, consumer: 'late' },
      condition: 'payload.n >= 1',
    },
  });
});

test('the order and the end of a backfill have audit entries, and the job is in the list', async () => {
  const { account, consumers, send, ordered } = await pastOf(gateway);
  await send({ n: 1 });
  await consumers.made('late');
  const job = await ordered('late');
  expect((await gateway.admin.request('GET', orderPath)).body).toMatchObject([{ id: job.id, consumer: 'late' }]);
  await workOff(gateway);
  expect(await entriesOfJob(gateway, job.id)).toMatchObject([
    { action: 'consumer.backfill', details: { status: 202, total: 1, account_id: account.id, consumer: 'late' } },
    { action: 'event.bulk_end', details: { action: 'backfill', state: 'done', done: 1, consumer: 'late' } },
  ]);
});

test('a stopped backfill makes no further events', async () => {
  const { consumers, send, ordered, webhooksOf } = await pastOf(gateway);
  const ids = await send({ n: 1 }, { n: 2 }, { n: 3 });
  const late = await consumers.made('late');
  const job = await ordered('late', { per_second: 1 });
  expect(await bulkWorkerOf(gateway).round()).toBe('more');
  expect((await gateway.admin.post(`${orderPath}/${job.id}/stop`)).status).toBe(202);
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'stopped', reason: 'operator', done: 1 });
  expect(await webhooksOf(late)).toEqual(ids.slice(0, 1));
  await ordered('late');
  await workOff(gateway);
  expect(await webhooksOf(late)).toEqual(ids);
});
