import { expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { samples } from '../support/providers/samples.ts';
import { sampleOf } from '../support/providers/webhook.ts';
import { secretText } from '../support/secrets.ts';
import { eventsOf } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useClient, useConsumer, useGateway } from '../support/use-gateway.ts';
import { rejectedBy } from './rejected-webhook.ts';

const consumer = useConsumer();
const gateway = useGateway({
  rejected: { bodyBytes: 4096 },
  adminTokens: [{ name: 'reader', token: secretText('reader-of-checks'), role: 'read' }],
});

const client = useClient(gateway);
const check = (id: string) => gateway.admin.post(`/admin/events/rejected/${id}/check`);

/** The entries of the audit log about an event, without those of reads, newest first. */
const changesOf = async (id: string): Promise<{ details: Record<string, unknown> }[]> =>
  (await gateway.admin.request('GET', `/admin/audit-logs?event_id=${id}&reads=false`)).body;

const rejected = rejectedBy(gateway, consumer);

const uncheckable: Record<string, string> = {
  ...{ generic: 'secret_not_stored', support_chat: 'secret_not_stored', gitlab: 'secret_not_stored' },
  vonage: 'signature_not_stored',
};

test.each(samples.map((sample) => [sample.provider, sample] as const))(
  'a webhook of %s that a wrong secret rejected',
  async (provider, sample) => {
    const { id, account, correct, sent } = await rejected(sample);
    const why = uncheckable[provider] ?? null;
    expect((await gateway.admin.event(id)).rejection_check).toMatchObject({ not_checkable: why, event_id: null });
    if (why !== null) {
      await correct();
      expect(await check(id)).toMatchObject({ status: 409, body: { code: 'not_checkable' } });
      return;
    }
    expect((await check(id)).body).toMatchObject({ result: 'rejected', event_id: null, reason: 'bad_signature' });
    expect((await correct()).status).toBe(200);
    const { status, body } = await check(id);
    expect({ status, body }).toMatchObject({ status: 200, body: { result: 'accepted', reason: null } });
    const event = await gateway.admin.eventually(body.event_id, (e) => e.delivery_status === 'delivered');
    const { type, externalId } = sample.event('evt_1');
    expect(event).toMatchObject({ event_type: type, external_id: externalId, rejected_event_id: id });
    const delivery = consumer.deliveries.find(({ headers }) => headers['webhook-id'] === body.event_id);
    expect(delivery?.body.equals(sent)).toBe(true);
    const after = await gateway.admin.event(id);
    expect(after).toMatchObject({ status: 'rejected', rejection_check: { event_id: body.event_id } });
    expect(await eventsOf(gateway.database, account.id)).toHaveLength(2);
  },
);

test('checks at once and again make one event, which the audit log names', async () => {
  const { id, account, correct } = await rejected(sampleOf('hmac'));
  await correct();
  const answers = await Promise.all(Array.from({ length: 4 }, () => check(id)));
  answers.push(await check(id));
  expect(answers.map(({ body }) => body.result).sort()).toEqual(
    ['accepted', ...Array(4).fill('already_accepted')].sort(),
  );
  expect(new Set(answers.map(({ body }) => body.event_id)).size).toBe(1);
  expect(await eventsOf(gateway.database, account.id)).toHaveLength(2);
  const named = (await changesOf(id)).map(({ details }) => details.event_id);
  expect(named).toEqual(answers.map(({ body }) => body.event_id));
});

test('the audit log finds a check by the rejected webhook, also one that failed, and by the event that it has made', async () => {
  const { id, correct } = await rejected(sampleOf('stripe'));
  await check(id);
  await correct();
  const { body } = await check(id);
  const results = async (eventId: string) => (await changesOf(eventId)).map(({ details }) => details.result);
  expect(await results(id)).toEqual(['accepted', 'rejected']);
  expect(await results(body.event_id)).toEqual(['accepted']);
});

test('the answer is the event of the same webhook if that was accepted since', async () => {
  const { id, account, correct, post } = await rejected(sampleOf('stripe'));
  await correct();
  expect((await post()).status).toBe(202);
  const accepted = (await eventsOf(gateway.database, account.id)).find(({ status }) => status !== 'rejected');
  expect((await check(id)).body).toMatchObject({ result: 'already_accepted', event_id: accepted?.id });
  expect((await gateway.admin.event(accepted?.id ?? '')).rejected_event_id).toBeNull();
});

test.each([
  ['has expired', `update event_dedup set expires_at = now() - interval '1 hour'`],
  ['was deleted', 'delete from event_dedup'],
])('also if the deduplication key of that event %s', async (_, text) => {
  // By its id alone, and by its id and its bytes.
  for (const name of ['stripe', 'hmac']) {
    const { id, account, correct, post } = await rejected(sampleOf(name));
    await correct();
    expect((await post()).status).toBe(202);
    const accepted = (await eventsOf(gateway.database, account.id)).find(({ status }) => status !== 'rejected');
    await gateway.rows(`${text} where event_id = $1`, [accepted?.id]);
    for (let n = 0; n < 2; n++)
      expect((await check(id)).body).toMatchObject({ result: 'already_accepted', event_id: accepted?.id });
    expect(await eventsOf(gateway.database, account.id)).toHaveLength(2);
  }
});

test('also if the account has more events with the same id than are compared', async () => {
  const { id, account, key, correct, post } = await rejected(sampleOf('hmac'));
  await correct();
  for (let n = 0; n < 11; n++) {
    const body = JSON.stringify({ ref: 'evt_1', n });
    const { headers } = await key.sign({ body: Buffer.from(body), at: new Date(), url: gateway.baseUrl });
    expect((await gateway.send(account, body, Object.fromEntries(headers))).status).toBe(202);
  }
  const { status, body: accepted } = await post();
  expect(status).toBe(202);
  await gateway.rows('delete from event_dedup where event_id = $1', [accepted.id]);
  expect((await check(id)).body).toMatchObject({ result: 'already_accepted', event_id: accepted.id });
});

test('another webhook with the same id is no such event where the bytes count, too', async () => {
  const { id, account, correct, post } = await rejected(sampleOf('hmac'));
  await correct();
  expect((await post()).status).toBe(202);
  const [accepted] = (await eventsOf(gateway.database, account.id)).filter(({ status }) => status !== 'rejected');
  await gateway.rows('delete from event_dedup where event_id = $1', [accepted?.id]);
  await gateway.rows(`update event_payloads set body = body || ' ' where event_id = $1`, [accepted?.id]);
  expect((await check(id)).body).toMatchObject({ result: 'accepted' });
});

test('a key whose event is gone does not keep the webhook from becoming an event', async () => {
  const { id, correct } = await rejected(sampleOf('stripe'));
  await correct();
  const { body: first } = await check(id);
  await gateway.rows('delete from events where id = $1', [first.event_id]);
  await gateway.rows('delete from rejection_checks where rejected_event_id = $1', [id]);
  const { body: second } = await check(id);
  expect(second.result).toBe('accepted');
  expect(second.event_id).not.toBe(first.event_id);
});

test('the time is judged as of the receipt, and named in the reason', async () => {
  const key = sampleOf('stripe').newKey();
  const at = new Date(Date.now() - 66 * 60_000);
  const { id, correct } = await rejected(sampleOf('stripe'), {
    key,
    at,
    account: { signing_secret_current: key.secret },
  });
  const sentence = 'Signed 66 min before it came; the limit is 5 min.';
  expect(await gateway.admin.event(id)).toMatchObject({
    ...{ rejection_reason: 'stale_timestamp', rejection_explanation: sentence },
  });
  expect((await check(id)).body).toMatchObject({
    result: 'rejected',
    reason: 'stale_timestamp',
    explanation: sentence,
  });
  // An hour later the webhook would be too old for this limit.
  await gateway.rows(`update events set received_at = received_at - interval '3 hours' where id = $1`, [id]);
  await correct({ provider_config: { tolerance_seconds: 7200 } });
  expect((await check(id)).body).toMatchObject({ result: 'accepted' });
});

test('only what was kept whole is checked', async () => {
  const long = sampleOf('github');
  const { id: ofLongHeaders } = await rejected(long, { headers: ['X-Long', 'a'.repeat(9_000)] });
  expect(await check(ofLongHeaders)).toMatchObject({ status: 409, body: { detail: /8 KiB/ } });
  const account = await gateway.admin.createAccount({
    ...{ provider: 'github', skip_signature_verification: false, signing_secret_current: secretText('never-it') },
  });
  await gateway.send(account, 'x'.repeat(4097), { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` });
  const [cut] = await eventsOf(gateway.database, account.id);
  expect(await check(cut?.id ?? '')).toMatchObject({ status: 409, body: { detail: /REJECTED_BODY_BYTES/ } });
});

test('a check never trusts an account that skips verification, and needs an enabled one', async () => {
  const { id, correct, account } = await rejected(sampleOf('shopify'));
  await correct({ skip_signature_verification: true });
  expect((await check(id)).body).toMatchObject({ result: 'rejected', reason: 'bad_signature' });
  await correct({ enabled: false });
  expect(await check(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(await eventsOf(gateway.database, account.id)).toHaveLength(1);
});

test('a check needs an account that is not deleted and has the same provider, and says which of these is missing', async () => {
  const { id, correct, account } = await rejected(sampleOf('shopify'));
  await correct({ provider: 'github' });
  expect(await check(id)).toMatchObject({
    status: 409,
    body: { code: 'conflict', detail: expect.stringMatching(/has the provider github now/) },
  });
  await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
  expect(await check(id)).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/was deleted/) } });
});

test('a check whose transaction is killed leaves nothing, and can be repeated', async () => {
  const { id, account, correct } = await rejected(sampleOf('shopify'));
  await correct();
  await client.query('begin');
  await client.query('lock table event_dedup in share mode');
  const killed = check(id);
  await until('the check waits for the lock, after its note', async () => {
    const { rows } = await client.query(
      `select pg_terminate_backend(pid) as ended from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  expect((await killed).status).toBe(503);
  await client.query('rollback');
  expect(await gateway.rows('select 1 from rejection_checks where rejected_event_id = $1', [id])).toEqual([]);
  expect(await eventsOf(gateway.database, account.id)).toHaveLength(1);
  expect((await check(id)).body.result).toBe('accepted');
  expect(await eventsOf(gateway.database, account.id)).toHaveLength(2);
});

test('rejected webhooks are counted by account and reason; a reader may count, and not check', async () => {
  const { id, account, post } = await rejected(sampleOf('github'));
  await post('evt_2');
  const counts = await gateway.admin.request('GET', `/admin/events/rejected?account_slug=${account.account_slug}`);
  const [last] = (await eventsOf(gateway.database, account.id))
    .map((event) => event.id)
    .sort()
    .reverse();
  expect(counts.body).toMatchObject({
    ...{ counted: 2, complete: true },
    groups: [{ account_id: account.id, provider: 'github', reason: 'bad_signature', count: 2, last_event_id: last }],
  });
  const all = await gateway.admin.request('GET', '/admin/events/rejected');
  expect(all.body.counted).toBe(all.body.groups.reduce((sum: number, { count }: { count: number }) => sum + count, 0));
  expect(all.body.groups.length).toBeGreaterThan(1);
  const reader = adminClient(gateway.baseUrl, secretText('reader-of-checks'));
  expect((await reader.request('GET', '/admin/events/rejected')).status).toBe(200);
  expect((await reader.post(`/admin/events/rejected/${id}/check`)).status).toBe(403);
});
