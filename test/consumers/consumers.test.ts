import { beforeEach, describe, expect, test } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { type Consumers, consumersOf, iso, reachedAsUsual, uuidv7 } from './support.ts';

const unknownId = '01900000-0000-7000-8000-000000000000';

const gateway = useGateway({ worker: false });
let account: { id: string; created_at: string };
let consumers: Consumers;
beforeEach(async () => {
  account = await gateway.admin.createAccount({});
  consumers = consumersOf(gateway, account.id);
});

const patchAccount = (body: unknown) => gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, body);

describe('a consumer', () => {
  test('is created with a name and a URL, and shown by the list and by its name', async () => {
    const created = await consumers.post({ name: 'billing', url: 'https://billing.test/hook' });
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({
      ...{ id: uuidv7, name: 'billing', url: 'https://billing.test/hook', has_secret: false, enabled: true },
      ...{ condition: null, paused: null, created_at: iso, updated_at: created.body.created_at },
      ...reachedAsUsual,
    });
    expect((await consumers.list()).body).toEqual([expect.objectContaining({ name: 'default' }), created.body]);
    expect(await consumers.get('billing')).toMatchObject({ status: 200, body: created.body });
  });

  test('has all its fields, the secret write-only', async () => {
    const condition = 'event_type.startswith("invoice.") and header["x-a"] == "b" and external_id != provider';
    const fields = { name: '-a-9', url: 'http://93.184.215.14:8080/?a=b#c', enabled: false, condition };
    const { status, body } = await consumers.post({ ...fields, secret: secretText('of-consumer') });
    expect({ status, body }).toMatchObject({ status: 201, body: { ...fields, has_secret: true } });
    expect(body).not.toHaveProperty('secret');
  });

  test('without a secret: null, an empty text, and none', async () => {
    for (const [n, secret] of [null, '', undefined].entries())
      expect(await consumers.made(`c-${n}`, { secret })).toMatchObject({ has_secret: false });
  });

  test('changes only the fields of a PATCH; null clears condition and secret', async () => {
    const before = await consumers.made('billing', { secret: secretText('one'), condition: 'exists(payload.a)' });
    const url = 'https://other.test/';
    const renamed = await consumers.patch('billing', { name: 'invoices', url });
    expect(renamed.body).toEqual({ ...before, name: 'invoices', url, updated_at: iso });
    expect(await consumers.get('billing')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const cleared = await consumers.patch('invoices', { condition: null, secret: null, enabled: false });
    expect(cleared.body).toEqual({
      ...{ ...renamed.body, condition: null, has_secret: false, enabled: false, updated_at: iso },
    });
    expect((await consumers.patch('invoices', {})).body).toEqual({ ...cleared.body, updated_at: iso });
    expect((await consumers.patch('invoices', { name: 'invoices' })).status).toBe(200);
  });

  test('is deleted, and its name is free again', async () => {
    const { id } = await consumers.made('billing');
    expect(await consumers.delete('billing')).toMatchObject({ status: 204, body: null });
    expect(await consumers.names()).toEqual(['default']);
    for (const answer of [
      await consumers.get('billing'),
      await consumers.patch('billing', {}),
      await consumers.delete('billing'),
      await consumers.pause('billing'),
      await consumers.resume('billing'),
    ])
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await consumers.made('billing')).id).not.toBe(id);
    const kept = await gateway.rows('select deleted_at is not null as deleted from consumers where account_id = $1', [
      account.id,
    ]);
    expect(kept.map(({ deleted }) => deleted).sort()).toEqual([false, true]);
  });

  test('of another account has the same name and is not touched', async () => {
    const other = consumersOf(gateway, (await gateway.admin.createAccount({})).id);
    await consumers.made('billing');
    const before = await other.made('billing');
    await consumers.patch('billing', { enabled: false });
    await consumers.delete('billing');
    expect((await other.get('billing')).body).toEqual(before);
  });

  test('the list has `default` first, then the oldest', async () => {
    for (const name of ['z', 'a', 'm']) await consumers.made(name);
    await consumers.patch('default', { enabled: false });
    expect(await consumers.names()).toEqual(['default', 'z', 'a', 'm']);
  });

  test('of an unknown or deleted account is not found', async () => {
    await consumers.made('billing');
    await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
    for (const id of [account.id, unknownId, 'nope']) {
      const gone = consumersOf(gateway, id);
      for (const answer of [
        await gone.list(),
        await gone.post({ name: 'a', url: 'https://a.test/' }),
        ...(await Promise.all(
          ['billing', 'default'].flatMap((name) => [
            gone.get(name),
            gone.patch(name, { enabled: false }),
            gone.delete(name),
            gone.pause(name),
            gone.resume(name),
          ]),
        )),
        await gateway.admin.post(`/admin/accounts/${id}/pause`),
        await gateway.admin.post(`/admin/accounts/${id}/resume`),
      ])
        expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });
});

describe('the consumer `default`', () => {
  test('exists without a row, with the address and the age of its account', async () => {
    const bare = {
      ...{ id: account.id, name: 'default', url: null, has_secret: false, enabled: true, condition: null },
      ...reachedAsUsual,
      ...{ paused: null, created_at: account.created_at, updated_at: account.created_at },
    };
    expect((await consumers.list()).body).toEqual([bare]);
    expect((await consumers.get('default')).body).toEqual(bare);
    const addresses = [
      [{ project_delivery_url: 'https://u:p@project.test/' }, { url: 'https://[masked]@project.test/' }],
      [{ delivery_secret: secretText('one') }, { has_secret: false }],
      [{ delivery_url: 'https://own.test/' }, { url: 'https://own.test/', has_secret: true }],
      [{ delivery_url: null }, { url: 'https://[masked]@project.test/', has_secret: false }],
      [{ project_delivery_secret: secretText('two') }, { has_secret: true }],
      [{ project_delivery_url: null }, { url: null }],
    ];
    for (const [change, shown] of addresses) {
      const { body } = await patchAccount(change);
      expect((await consumers.get('default')).body).toMatchObject({ ...shown, updated_at: body.updated_at });
    }
    expect(await gateway.rows('select id from consumers where account_id = $1', [account.id])).toEqual([]);
  });

  test('keeps condition and enabled, which are set here', async () => {
    const condition = 'event_type != "ping"';
    const { body } = await consumers.patch('default', { condition, enabled: false });
    expect(body).toMatchObject({ id: account.id, name: 'default', condition, enabled: false });
    expect(body.created_at).toBe(account.created_at);
    expect((await consumers.get('default')).body).toEqual(body);
    expect((await consumers.patch('default', { condition: null })).body).toMatchObject({
      ...{ condition: null, enabled: false },
    });
    expect(await gateway.rows('select id, name, url from consumers where account_id = $1', [account.id])).toEqual([
      { id: account.id, name: 'default', url: null },
    ]);
  });

  test.each(['url', 'secret', 'name'])(
    'its %s is refused, also with its present value and with other fields',
    async (field) => {
      await patchAccount({ delivery_url: 'https://own.test/', delivery_secret: secretText('one') });
      const values: Record<string, unknown> = { url: 'https://own.test/', secret: secretText('one'), name: 'default' };
      for (const body of [{ [field]: values[field] }, { enabled: false, [field]: values[field] }]) {
        const answer = await consumers.patch('default', body);
        expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', errors: [{ path: field }] } });
        expect(JSON.stringify(answer.body)).not.toContain(secretText('one'));
      }
      expect(await gateway.rows('select id from consumers where account_id = $1', [account.id])).toEqual([]);
    },
  );

  test('cannot be deleted, whether a setting of it was changed or not', async () => {
    expect(await consumers.delete('default')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await gateway.rows('select id from consumers where account_id = $1', [account.id])).toEqual([]);
    await consumers.patch('default', { enabled: false });
    expect(await consumers.delete('default')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await consumers.get('default')).body).toMatchObject({ enabled: false });
  });

  test('cannot be made, and nothing can be renamed to it', async () => {
    await consumers.made('billing');
    for (const answer of [
      await consumers.post({ name: 'default', url: 'https://a.test/' }),
      await consumers.patch('billing', { name: 'default' }),
    ])
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'name' }] } });
    expect(await consumers.names()).toEqual(['default', 'billing']);
  });
});

describe('a pause', () => {
  const reason = 'the invoice service moves';

  test.each(['billing', 'default'])('of %s keeps its time and reason until it is resumed', async (name) => {
    if (name !== 'default') await consumers.made(name);
    const { body: before } = await consumers.get(name);
    const paused = await consumers.pause(name, { reason });
    expect(paused).toMatchObject({ status: 200, body: { ...before, paused: { since: iso, reason } } });
    expect((await consumers.pause(name, { reason: 'another' })).body).toEqual(paused.body);
    expect((await consumers.get(name)).body).toEqual(paused.body);
    expect(await consumers.resume(name)).toMatchObject({ status: 200, body: before });
    expect((await consumers.resume(name)).body).toEqual(before);
    expect((await consumers.pause(name)).body.paused).toEqual({ since: iso, reason: null });
  });

  test('of an account is shown with the account, not with its consumers', async () => {
    const path = `/admin/accounts/${account.id}`;
    const { body: before } = await gateway.admin.request('GET', path);
    expect(before.paused).toBeNull();
    await consumers.made('billing');
    const paused = await gateway.admin.post(`${path}/pause`, { reason });
    expect(paused).toMatchObject({ status: 200, body: { ...before, paused: { since: iso, reason } } });
    expect((await gateway.admin.post(`${path}/pause`)).body).toEqual(paused.body);
    expect((await gateway.admin.request('GET', path)).body).toEqual(paused.body);
    for (const { paused: own } of (await consumers.list()).body) expect(own).toBeNull();
    await consumers.pause('billing');
    expect(await gateway.admin.post(`${path}/resume`)).toMatchObject({ status: 200, body: before });
    expect((await consumers.get('billing')).body.paused).not.toBeNull();
  });
});
