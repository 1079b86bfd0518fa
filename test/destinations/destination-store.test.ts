import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import type { NewDestination } from '../../src/notifications/destinations/destination-rules.ts';
import { maxDestinations } from '../../src/notifications/destinations/destination-store.ts';
import { openClient } from '../support/one-connection.ts';
import { secretInUrl, secretText } from '../support/secrets.ts';
import { everythingStored, rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { made, useStores } from './support.ts';

let account: string;
const stores = useStores();
beforeEach(async () => {
  account = await stores.newAccount();
});

const hook: NewDestination = {
  destination_type: 'webhook',
  name: 'hook',
  config: { url: `https://a.test/${secretInUrl('very-secret-path')}`, secret: secretText('very-secret-value') },
};
const chat: NewDestination = {
  destination_type: 'chat_one',
  name: 'chat',
  config: { webhook_url: `https://chat.test/${secretInUrl('very-secret-chat')}` },
};
const create = async (input: NewDestination) => made(await stores.destinations.create(account, input));
const listed = async () => (await stores.destinations.list(account)) ?? [];
const setting = { name: '', text: `insert into gateway_settings (key, value) values ($1, '')` };

describe('create and list', () => {
  test.each<NewDestination>([
    hook,
    chat,
    { destination_type: 'chat_two', name: 'x'.repeat(200), config: { webhook_url: 'http://b.test' }, position: -5 },
    { destination_type: 'email', name: '😀', config: { addresses: ['a@b.example', 'a@b.example'] }, enabled: false },
    { ...hook, condition: 'delivery_failed and provider == "generic"', position: 2_147_483_647 },
    { ...hook, kinds: ['delivery.failed', 'incident.opened', 'incident.resolved'] },
  ])('%j is returned unchanged', async (input) => {
    const destination = await create(input);
    expect(destination).toEqual({
      ...{ condition: null, kinds: ['delivery.failed'], enabled: true, position: 0, ...input },
      ...{ id: expect.stringMatching(/^[0-9a-f-]{14}7/), account_id: account },
      ...{ created_at: expect.any(Date), updated_at: destination.created_at },
    });
    expect(await listed()).toEqual([destination]);
  });

  test('a null or empty secret counts as no secret', async () => {
    for (const secret of [null, '', undefined])
      expect((await create({ ...hook, config: { url: 'https://a.test/', secret } })).config).toEqual({
        url: 'https://a.test/',
      });
  });

  test('the list is ordered by position, then by age', async () => {
    for (const [name, position] of Object.entries({ c: 1, a: 0, d: 1, b: 0, first: -1 }))
      await create({ ...chat, name, position });
    expect((await listed()).map(({ name }) => name)).toEqual(['first', 'a', 'b', 'c', 'd']);
  });

  test('the list shows only the destinations of its account', async () => {
    await create(chat);
    expect(await stores.destinations.list(await stores.newAccount())).toEqual([]);
  });

  test('an unknown or deleted account is not found', async () => {
    const { id } = await create(chat);
    await stores.accounts.delete(account);
    for (const gone of [account, randomUUID()]) {
      expect(await stores.destinations.list(gone)).toBeNull();
      expect(await stores.destinations.create(gone, chat)).toEqual({ ok: false, reason: 'account_not_found' });
      expect(await stores.destinations.update(gone, id, { name: 'b' })).toEqual({ ok: false, reason: 'not_found' });
      expect(await stores.destinations.delete(gone, id)).toBe(false);
    }
  });

  test('an account has at most `maxDestinations`, also with concurrent creates', async () => {
    // Creates wait for each other, with a time limit. So most are created first, and only the last 20 concurrently.
    for (let n = 0; n < maxDestinations - 10; n++) await create(chat);
    const answers = await Promise.all(Array.from({ length: 20 }, () => stores.destinations.create(account, chat)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(10);
    expect(await listed()).toHaveLength(maxDestinations);
    expect(answers.filter(({ ok }) => !ok)).toEqual(Array(10).fill({ ok: false, reason: 'too_many' }));
    const [first] = await listed();
    await stores.destinations.delete(account, first?.id ?? '');
    expect(await create(chat)).toBeDefined();
  });

  test('neither addresses nor secrets are in the database', async () => {
    await create(hook);
    await create(chat);
    expect(await everythingStored(stores.database)).not.toMatch(/very-secret/);
  });

  test('a create that waits for the deletion of its account creates nothing', async () => {
    const other = await openClient(stores.url);
    await other.query('begin');
    await other.query('update accounts set deleted_at = now() where id = $1', [account]);
    const creating = stores.destinations.create(account, chat);
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until('the create waits for the lock', async () => (await other.query(waits)).rowCount === 1);
    await other.query('commit');
    await other.end();
    expect(await creating).toEqual({ ok: false, reason: 'account_not_found' });
  });
});

describe('get', () => {
  test('finds a destination of the account, enabled or not, but none of another account', async () => {
    const [one, disabled] = [await create(hook), await create({ ...chat, enabled: false })];
    expect(await stores.destinations.get(account, one.id)).toEqual(one);
    expect(await stores.destinations.get(account, disabled.id)).toEqual(disabled);
    expect(await stores.destinations.get(await stores.newAccount(), one.id)).toBeNull();
    expect(await stores.destinations.get(account, randomUUID())).toBeNull();
  });
});

describe('delete', () => {
  test('succeeds once and removes only this destination', async () => {
    const [gone, kept] = [await create(chat), await create(hook)];
    expect(await stores.destinations.delete(account, gone.id)).toBe(true);
    expect(await stores.destinations.delete(account, gone.id)).toBe(false);
    expect(await stores.destinations.delete(await stores.newAccount(), kept.id)).toBe(false);
    expect(await listed()).toEqual([kept]);
  });

  test('of two concurrent deletes exactly one succeeds', async () => {
    const { id } = await create(chat);
    const both = [stores.destinations.delete(account, id), stores.destinations.delete(account, id)];
    expect((await Promise.all(both)).sort()).toEqual([false, true]);
  });
});

describe('the callback in the transaction', () => {
  test('sees the change, and its writes commit with it', async () => {
    const seen: unknown[] = [];
    const kept = async (sql: Sql, what: string) => {
      const [row] = await sql.query<{ n: number }>(
        { name: '', text: 'select count(*)::integer as n from destinations where account_id = $1' },
        [account],
      );
      seen.push([what, row?.n]);
      await sql.query(setting, [`${what} ${account}`]);
    };
    const created = made(await stores.destinations.create(account, chat, (sql, { name }) => kept(sql, `made ${name}`)));
    const change = { name: 'new', config: { webhook_url: 'https://c.test' } };
    await stores.destinations.update(
      account,
      created.id,
      { ...change, condition: undefined },
      (sql, destination, changed) => {
        expect(destination).toMatchObject(change);
        return kept(sql, `changed ${changed}`);
      },
    );
    await stores.destinations.delete(account, created.id, (sql, { name }) => kept(sql, `deleted ${name}`));
    const words = ['made chat', 'changed name,config.webhook_url', 'deleted new'];
    expect(seen).toEqual([1, 1, 0].map((n, index) => [words[index], n]));
    const stored = await rows(stores.database, 'select key from gateway_settings where key like $1', [`%${account}`]);
    expect(stored.map(({ key }) => key).sort()).toEqual(words.map((word) => `${word} ${account}`).sort());
  });

  test('rolls the change back when it fails', async () => {
    const fails = async () => {
      throw new Error('no entry');
    };
    await expect(stores.destinations.create(account, chat, fails)).rejects.toThrow('no entry');
    expect(await listed()).toEqual([]);
    const kept = await create(chat);
    await expect(stores.destinations.update(account, kept.id, { name: 'b' }, fails)).rejects.toThrow('no entry');
    await expect(stores.destinations.delete(account, kept.id, fails)).rejects.toThrow('no entry');
    expect(await listed()).toEqual([kept]);
  });

  test('is not called when nothing changes', async () => {
    const never = async () => {
      throw new Error('called');
    };
    const { id } = await create(chat);
    expect((await stores.destinations.create(randomUUID(), chat, never)).ok).toBe(false);
    expect((await stores.destinations.update(account, randomUUID(), {}, never)).ok).toBe(false);
    expect((await stores.destinations.update(account, id, { config: { url: 'https://a.test' } }, never)).ok).toBe(
      false,
    );
    expect(await stores.destinations.delete(account, randomUUID(), never)).toBe(false);
  });
});
