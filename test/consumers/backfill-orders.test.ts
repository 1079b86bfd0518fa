import { expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { orderPath } from '../events/bulk/support.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { pastOf, since } from './backfill-support.ts';

const operator = { name: 'olga', role: 'operate' as const, token: secretText('token-of-olga') };
const reader = { name: 'rita', role: 'read' as const, token: secretText('token-of-rita') };
const gateway = useGateway({ worker: false, adminTokens: [operator, reader] });
const unknownId = '01900000-0000-7000-8000-000000000000';
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

test('wrong orders are refused with the name of the wrong field', async () => {
  const { consumers } = await pastOf(gateway);
  await consumers.made('late');
  const wrong: [what: string, order: object, path: string, message?: string][] = [
    ['without since', {}, 'since'],
    ['with a time that is none', { since: 'yesterday' }, 'since'],
    ['with since in the future', { since: inAnHour() }, 'since', 'must be in the past'],
    ['with until at since', { since, until: since }, 'until', 'must be after since'],
    ['with until before since', { since, until: '2019-01-01T00:00:00Z' }, 'until', 'must be after since'],
    ['with a rate of none', { since, per_second: 0 }, 'per_second'],
    ['with too high a rate', { since, per_second: 1_001 }, 'per_second'],
    ['with a fraction', { since, per_second: 1.5 }, 'per_second'],
    ['with a condition that is none', { since, condition: 'payload.n >' }, 'condition'],
    ['with a blank condition', { since, condition: ' ' }, 'condition'],
    ['with a variable of failed events', { since, condition: 'attempts > 3' }, 'condition'],
    ['with a dry run that is no boolean', { since, dry_run: 'yes' }, 'dry_run'],
    ['with an unknown field', { since, limit: 3 }, 'limit'],
  ];
  for (const [what, order, path, message] of wrong)
    for (const name of ['late', 'default']) {
      const { status, body } = await consumers.backfill(name, order);
      expect([what, status, body.errors?.[0]?.path]).toEqual([what, 422, path]);
      if (message) expect(body.errors[0].message).toBe(message);
    }
  const { body } = await consumers.backfill('late', { since, condition: 'payload.n = 1' });
  expect(body.errors[0].message).toMatch(/^line 1, column \d+: /);
  expect(await gateway.rows('select 1 from bulk_jobs')).toEqual([]);
});

test('an unknown or deleted consumer or account is not found', async () => {
  const { account, consumers } = await pastOf(gateway);
  await consumers.made('gone');
  await consumers.delete('gone');
  for (const name of ['gone', 'nobody', 'No Name'])
    for (const dry_run of [true, false])
      expect((await consumers.backfill(name, { since, dry_run })).body.code).toBe('not_found');
  const of = (id: string) => gateway.admin.post(`/admin/accounts/${id}/consumers/default/backfill`, { since });
  for (const id of [unknownId, 'nope']) expect((await of(id)).status).toBe(404);
  await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
  expect((await of(account.id)).status).toBe(404);
});

test('a disabled consumer or account, and default without an address, are refused, but not a dry run', async () => {
  const { account, consumers, send } = await pastOf(gateway);
  await send({ n: 1 });
  await consumers.made('late', { enabled: false });
  const refused = async (name: string, detail: string) => {
    const { status, body } = await consumers.backfill(name, { since });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.detail).toContain(detail);
    expect((await consumers.backfill(name, { since, dry_run: true })).status).toBe(200);
  };
  await refused('late', 'the consumer is disabled');
  await consumers.patch('late', { enabled: true });
  const path = `/admin/accounts/${account.id}`;
  expect((await gateway.admin.request('PATCH', path, { delivery_url: null })).status).toBe(200);
  await refused('default', 'no address');
  expect((await gateway.admin.request('PATCH', path, { enabled: false })).status).toBe(200);
  await refused('late', 'the account is disabled');
});

test('one backfill of a consumer at a time, also while it stops and for simultaneous orders', async () => {
  const { consumers, send, ordered } = await pastOf(gateway);
  await send({ n: 1 });
  await consumers.made('late');
  await consumers.made('other');
  const answers = await Promise.all([1, 2, 3].map((n) => consumers.backfill('late', { since, per_second: n })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
  const job = answers.find(({ status }) => status === 202)?.body;
  for (const { status, body } of answers) if (status === 409) expect(body.detail).toContain(job.id);
  await ordered('other');
  await gateway.admin.post(`${orderPath}/${job.id}/stop`);
  expect((await consumers.backfill('late', { since, until: '2021-01-01' })).status).toBe(409);
  expect((await consumers.backfill('late', { since, dry_run: true })).status).toBe(200);
  await gateway.rows(`update bulk_jobs set state = 'stopped', ended_at = now() where ended_at is null`);
  await ordered('late');
  await gateway.rows(`update bulk_jobs set state = 'stopped', ended_at = now() where ended_at is null`);
});

test('a token of the role operate may order a backfill, one of the role read may not', async () => {
  const { account, consumers } = await pastOf(gateway);
  await consumers.made('late');
  const of = (token: string) =>
    createAdminClient({ baseUrl: gateway.baseUrl, token })
      .accounts({ account_id: account.id })
      .consumers({ consumer: 'late' })
      .backfill.post({ since: new Date(since), dry_run: true });
  expect((await of(operator.token)).status).toBe(200);
  expect((await of(reader.token)).status).toBe(403);
});
