import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DestinationChange, NewDestination } from '../../src/notifications/destinations/destination-rules.ts';
import { type Destination, DestinationUnreadable } from '../../src/notifications/destinations/destination-store.ts';
import { secretText } from '../support/secrets.ts';
import { rows } from '../support/stored.ts';
import { made, useStores } from './support.ts';

let account: string;
const stores = useStores();
beforeEach(async () => {
  account = await stores.newAccount();
});

const url = 'https://a.test/hook';
const hook: NewDestination = { destination_type: 'webhook', name: 'hook', config: { url, secret: secretText('shh') } };
const mail: NewDestination = {
  destination_type: 'email',
  name: 'mail',
  config: { addresses: ['a@b.example'], include_payload: true },
};
const create = async (input: NewDestination) => made(await stores.destinations.create(account, input));
const update = ({ id }: Destination, change: DestinationChange) => stores.destinations.update(account, id, change);
const stored = async () => (await stores.destinations.list(account)) ?? [];

test.each<[NewDestination, DestinationChange, Partial<Destination>]>([
  [hook, {}, {}],
  [hook, { name: 'b' }, { name: 'b' }],
  [hook, { condition: 'true', enabled: false, position: 9 }, { condition: 'true', enabled: false, position: 9 }],
  [{ ...hook, condition: 'true' }, { condition: null }, { condition: null }],
  [{ ...hook, condition: 'true' }, { condition: undefined, name: undefined }, {}],
  [hook, { config: {} }, {}],
  [hook, { config: { url: 'http://b.test' } }, { config: { url: 'http://b.test', secret: secretText('shh') } }],
  [hook, { config: { secret: 'new' } }, { config: { url, secret: 'new' } }],
  [hook, { config: { secret: null } }, { config: { url } }],
  [hook, { config: { secret: '' } }, { config: { url } }],
  [hook, { destination_type: 'webhook' }, {}],
  [mail, { config: { include_payload: null } }, { config: { addresses: ['a@b.example'] } }],
  [mail, { config: { addresses: ['c@d.example'] } }, { config: { addresses: ['c@d.example'], include_payload: true } }],
  [
    hook,
    { destination_type: 'chat_two', config: { webhook_url: url } },
    { destination_type: 'chat_two', config: { webhook_url: url } },
  ],
  [
    mail,
    { destination_type: 'webhook', config: { url, secret: null } },
    { destination_type: 'webhook', config: { url } },
  ],
])('%j changed by %j', async (before, change, expected) => {
  const destination = await create(before);
  const { updated_at: _, ...rest } = destination;
  const updated = await update(destination, change);
  expect(updated).toEqual({ ok: true, destination: { ...rest, ...expected, updated_at: expect.any(Date) } });
  expect(await stored()).toEqual([updated.ok && updated.destination]);
  expect((await stored())[0]?.updated_at.getTime()).toBeGreaterThanOrEqual(destination.updated_at.getTime());
});

test.each<[NewDestination, DestinationChange, string[]]>([
  [hook, { config: { webhook_url: url } }, ['config.webhook_url is not a known field']],
  [hook, { config: { addresses: ['a@b.example'] }, name: 'b' }, ['config.addresses is not a known field']],
  [mail, { config: { secret: secretText('very-secret-value') } }, ['config.secret is not a known field']],
  [hook, { destination_type: 'email' }, ['config is required']],
  [hook, { destination_type: 'chat_one', config: {} }, ['config.webhook_url is required']],
  [
    hook,
    { destination_type: 'chat_one', config: { url, secret: secretText('very-secret-value') } },
    ['config.webhook_url is required', 'config.url is not a known field', 'config.secret is not a known field'],
  ],
  [
    mail,
    { destination_type: 'webhook', config: { secret: secretText('very-secret-value') } },
    ['config.url is required'],
  ],
])('%j is not changed by %j', async (before, change, errors) => {
  const destination = await create(before);
  const refused = await update(destination, change);
  if (refused.ok || refused.reason !== 'invalid') throw new Error('it was changed');
  expect(refused.errors.map(({ path, message }) => `${path} ${message}`)).toEqual(errors);
  expect(await stored()).toEqual([destination]);
});

test('a missing destination and one of another account are not found', async () => {
  const destination = await create(hook);
  const gone = { ok: false, reason: 'not_found' };
  expect(await stores.destinations.update(account, randomUUID(), { name: 'b' })).toEqual(gone);
  expect(await stores.destinations.update(await stores.newAccount(), destination.id, { name: 'b' })).toEqual(gone);
  expect(await stored()).toEqual([destination]);
});

test('concurrent changes of different fields are all kept, in any order', async () => {
  for (let round = 0; round < 20; round++) {
    const destination = await create(hook);
    const changes: DestinationChange[] = [
      { name: `name ${round}` },
      { config: { url: `https://b.test/${round}` } },
      { config: { secret: `secret ${round}` } },
      { condition: 'true' },
      { position: round },
      { enabled: false },
    ];
    await Promise.all(changes.map((change) => update(destination, change)));
    expect((await stored()).find(({ id }) => id === destination.id)).toMatchObject({
      ...{ name: `name ${round}`, condition: 'true', position: round, enabled: false },
      config: { url: `https://b.test/${round}`, secret: `secret ${round}` },
    });
  }
});

test('after a concurrent change and deletion, the destination is deleted', async () => {
  for (let round = 0; round < 10; round++) {
    const destination = await create(hook);
    const [updated, deleted] = await Promise.all([
      update(destination, { name: 'b' }),
      stores.destinations.delete(account, destination.id),
    ]);
    expect(deleted).toBe(true);
    if (!updated.ok) expect(updated).toEqual({ ok: false, reason: 'not_found' });
    expect(await stored()).toEqual([]);
  }
});

describe('a config that does not decrypt', () => {
  test('throws an error that names the destination and the remedy', async () => {
    const { id } = await create(hook);
    const { withOtherKey } = stores;
    for (const call of [
      () => withOtherKey.list(account),
      () => withOtherKey.get(account, id),
      () => withOtherKey.update(account, id, { name: 'b' }),
    ]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DestinationUnreadable);
      expect(error).toMatchObject({ destinationId: id, message: expect.stringContaining(id) });
      expect(`${error}`).toMatch(/does not decrypt with SECRETS_KEY/);
      expect(`${error}`).not.toMatch(/shh|a\.test/);
    }
    expect(await stored()).toMatchObject([{ name: 'hook' }]);
  });

  test('is replaced by a complete config, but not by a partial one', async () => {
    const destination = await create(hook);
    expect(await stores.withOtherKey.update(account, destination.id, { config: { secret: 'new' } })).toEqual({
      ok: false,
      reason: 'invalid',
      errors: [{ path: 'config.url', message: 'is required' }],
    });
    expect((await stores.withOtherKey.update(account, destination.id, { config: { url } })).ok).toBe(true);
    expect(await stores.withOtherKey.list(account)).toMatchObject([{ config: { url } }]);
  });

  test('can be deleted', async () => {
    const { id } = await create(hook);
    expect(await stores.withOtherKey.delete(account, id)).toBe(true);
  });

  test('includes one copied from another destination or account', async () => {
    const [one, two] = [await create(hook), await create({ ...hook, config: { url: 'https://other.test' } })];
    const copy = 'update destinations set config = (select config from destinations where id = $1) where id = $2';
    await rows(stores.database, copy, [one.id, two.id]);
    await expect(stores.destinations.list(account)).rejects.toThrow(two.id);
    await rows(stores.database, 'delete from destinations where id = $1', [two.id]);
    await rows(stores.database, 'update destinations set account_id = $1', [await stores.newAccount()]);
    await expect(update(one, {})).resolves.toEqual({ ok: false, reason: 'not_found' });
  });
});
