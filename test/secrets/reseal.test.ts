import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test, vi } from 'vitest';
import { secretFields } from '../../src/accounts/account-entity.ts';
import { verifyAuditLogs } from '../../src/audit/verify.ts';
import { inTransaction } from '../../src/database/transaction.ts';
import { changeKey, totalOf } from '../../src/roles/change-key.ts';
import { sealedColumns } from '../../src/roles/sealed-columns.ts';
import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { nameOf } from '../../src/secrets/sealed-column.ts';
import { boxPrefix, createSecretBox } from '../../src/secrets/secret-box.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { randomKeyring } from '../support/keyring.ts';
import { rows } from '../support/stored.ts';

async function gatewayWith(options: TestGatewayOptions = {}) {
  const gateway = await startGateway({ worker: false, apiWithoutTemporal: true, ...options });
  onTestFinished(() => gateway.stop());
  return gateway;
}

const both = (current: Keyring, previous: Keyring) => createKeyring(current.current.bytes, previous.current.bytes);
const change = (gateway: TestGateway, keyring: Keyring, options: Partial<Parameters<typeof changeKey>[0]> = {}) =>
  changeKey({
    ...{ database: gateway.database, keyring, back: false, onProgress: () => undefined },
    signal: new AbortController().signal,
    ...options,
  });

const secrets = Object.fromEntries(secretFields.map((field) => [field, `secret of ${field}`]));
const urls = {
  delivery_url: 'http://user:secret-of-url@127.0.0.1:9/in',
  project_delivery_url: 'http://user:secret-of-url@127.0.0.1:9/project',
};
const webhook = {
  destination_type: 'webhook',
  name: 'told',
  config: { url: 'http://127.0.0.1:9/told', secret: 'secret of destination' },
};

/** Creates accounts and destinations, and copies of these in notifications and summaries. */
async function fill(gateway: TestGateway, accounts: number) {
  const made = [];
  for (let n = 0; n < accounts; n += 1) {
    const account = await gateway.admin.createAccount({
      ...secrets,
      provider: 'hmac',
      provider_config: { header: 'x-s' },
      ...urls,
    });
    await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, webhook);
    made.push(account.id);
  }
  await copyDestinations(gateway);
  return made as string[];
}

async function copyDestinations({ database }: TestGateway) {
  await rows(
    database,
    `insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at, event_attempts, status)
     select e.id, g, d.id, d.account_id, d.destination_type, d.name, d.config, 0, now(), 10, 'sent'
     from destinations d, generate_series(0, 2) g, (select $1::uuid as id) e`,
    [uuidv7()],
  );
  await rows(
    database,
    `insert into notification_summaries (id, destination_id, account_id, destination_type, config, provider, account_slug, app_key, events,
       first_event_ids, first_received_at, last_received_at, first_failed_at, last_failed_at, status)
     select gen_random_uuid(), id, account_id, destination_type, config, 'generic', 'a', 'b', 2, '{}', now(), now(), now(), now(), 'pending' from destinations`,
  );
}

/** Every bytea column of the database, with the number of its values that are boxes of this key (by the key's id). */
async function columnsSealedWith({ database }: TestGateway, keyring: Keyring): Promise<Record<string, number>> {
  const columns = await rows(
    database,
    `select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.atttypid = 'bytea'::regtype and not a.attisdropped order by 1, 2`,
  );
  const found: Record<string, number> = {};
  for (const { table, column } of columns) {
    const [row] = await rows(
      database,
      `select count(*)::integer as n from ${table} where position($1::bytea in ${column}) > 0`,
      [boxPrefix(keyring.current.id)],
    );
    found[`${table}.${column}`] = Number(row?.n);
  }
  return found;
}

const nothing = (found: Record<string, number>) => Object.entries(found).filter(([, n]) => n > 0);

/** All decrypted texts of the sealed columns; null where one does not decrypt. */
async function opened({ database }: TestGateway, keyring: Keyring): Promise<(string | null)[]> {
  const box = createSecretBox(keyring);
  const texts = [];
  for (const sealed of sealedColumns) {
    const columns = sealed.placeColumns.map((name) => `${name}::text as ${name}`).join(', ');
    const stored = await rows(
      database,
      `select ${columns}, ${sealed.column} as box from ${sealed.table} where ${sealed.column} is not null`,
    );
    for (const { box: bytes, ...place } of stored)
      texts.push(box.open(bytes as Buffer, sealed.placeOf(place as Record<string, string>)));
  }
  return texts;
}

test('the list names every column of the schema that contains boxes, and each column has its trigger', async () => {
  const gateway = await gatewayWith();
  await fill(gateway, 1);
  const found = await columnsSealedWith(gateway, gateway.keyring);
  // Not encrypted again, because retiring the key clears it.
  const cleared = ['secrets_keys.check_value'];
  const holding = nothing(found).map(([name]) => name);
  // Only a retired key has a value there, so there is none yet.
  expect([...holding, 'secrets_keys.retired_audit'].sort()).toEqual([...sealedColumns.map(nameOf), ...cleared].sort());
  // A new bytea column fails this test. If it contains boxes, add it to the list of sealed columns, otherwise here.
  const others = ['audit_chain.mac', 'audit_chain.seal', 'audit_logs.mac', 'audit_logs.noted_seal', 'audit_logs.seal'];
  expect(
    Object.keys(found)
      .filter((name) => !holding.includes(name))
      .sort(),
  ).toEqual(
    [
      ...others,
      'event_payloads.body',
      'event_payloads.payload_sha256',
      'gateway_settings.value',
      'secrets_keys.retired_audit',
    ].sort(),
  );
  const guarded = await rows(
    gateway.database,
    `select distinct event_object_table || '.' || event_object_column as name from information_schema.triggered_update_columns
     where trigger_name = 'refuse_retired_key' and event_object_table !~ '_[0-9]{8}$'`,
  );
  expect(guarded.map(({ name }) => name).sort()).toEqual(
    sealedColumns
      .map(nameOf)
      .filter((name) => !name.startsWith('secrets_keys.'))
      .sort(),
  );
});

test('everything is encrypted with the new key, and the audit log verifies without the old key', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const gateway = await gatewayWith({ keyring: old });
  await fill(gateway, 3);
  const before = await opened(gateway, old);
  const entries = Number((await rows(gateway.database, 'select count(*) as n from audit_logs'))[0]?.n);
  const updated = await rows(gateway.database, 'select updated_at from accounts order by id');

  const done = await change(gateway, both(next, old));
  expect(done).toMatchObject({ blocked: null, unreadable: [] });
  expect(totalOf(done)).toBe(3 * (4 + 2 + 1 + 1 + 3 + 1));
  expect(nothing(await columnsSealedWith(gateway, old))).toEqual([]);
  expect((await opened(gateway, next)).slice(0, before.length)).toEqual(before);
  expect((await opened(gateway, old)).filter((text) => text !== null)).toEqual([]);
  // Encrypting again does not change an account's `updated_at`.
  expect(await rows(gateway.database, 'select updated_at from accounts order by id')).toEqual(updated);

  const verified = await verifyAuditLogs({ database: gateway.database, keyring: next });
  expect(verified).toMatchObject({ ok: true, failure: null, unsealed: 1 });
  expect(verified.checked).toBeGreaterThanOrEqual(entries);
  expect(await rows(gateway.database, `select actor, details from audit_logs where action = 'secrets.reseal'`)).toEqual(
    [
      {
        actor: 'gateway',
        details: {
          ...{ key: next.current.id, previous_key: old.current.id, retired: true, unreadable: 0 },
          resealed: expect.objectContaining({ 'accounts.delivery_secret': 3, 'notifications.config': 9 }),
        },
      },
    ],
  );
});

test('a second time changes nothing', async () => {
  const next = randomKeyring();
  const gateway = await gatewayWith();
  await fill(gateway, 1);
  await change(gateway, both(next, gateway.keyring));
  const stored = () =>
    rows(
      gateway.database,
      'select *, (select count(*) from audit_logs) as entries from accounts, secrets_keys order by 1',
    );
  const before = await stored();
  for (const keyring of [both(next, gateway.keyring), next]) {
    const again = await change(gateway, keyring);
    expect([totalOf(again), again.blocked]).toEqual([0, null]);
  }
  expect(await stored()).toEqual(before);
});

test('after a run that was interrupted, the old key stays in use, and the next run continues', async () => {
  const next = randomKeyring();
  const gateway = await gatewayWith();
  await fill(gateway, 2);
  const texts = await opened(gateway, gateway.keyring);
  const keyring = both(next, gateway.keyring);
  const stop = new AbortController();
  await expect(
    change(gateway, keyring, { signal: stop.signal, onProgress: () => stop.abort(new Error('killed')) }),
  ).rejects.toThrow('killed');
  expect(nothing(await columnsSealedWith(gateway, gateway.keyring)).length).toBeGreaterThan(2);
  expect(nothing(await columnsSealedWith(gateway, next)).length).toBeGreaterThan(0);
  expect(await opened(gateway, keyring)).toEqual(texts);
  expect(await verifyAuditLogs({ database: gateway.database, keyring })).toMatchObject({ ok: true });
  expect((await change(gateway, keyring)).blocked).toBeNull();
  expect(nothing(await columnsSealedWith(gateway, gateway.keyring))).toEqual([]);
});

test('two concurrent runs lose no concurrent changes of accounts and destinations', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const first = await gatewayWith({ keyring: old });
  const ids = await fill(first, 5);
  const keyring = both(next, old);
  const gateway = await gatewayWith({ databaseUrl: first.databaseUrl, keyring });
  const wanted = new Map<string, string>();
  let running = true;
  const changing = ids.map(async (id) => {
    for (let n = 0; running || n < 3; n += 1) {
      const { status } = await gateway.admin.request('PATCH', `/admin/accounts/${id}`, {
        delivery_secret: `${id} ${n}`,
      });
      expect(status).toBe(200);
      wanted.set(id, `${id} ${n}`);
    }
  });
  const runs = await Promise.all([change(gateway, keyring), change(gateway, keyring)]);
  running = false;
  await Promise.all(changing);
  expect(runs.map(({ blocked, unreadable }) => [blocked, unreadable])).toEqual([
    [null, []],
    [null, []],
  ]);
  const box = createSecretBox(next);
  for (const id of ids) {
    const [row] = await rows(gateway.database, 'select delivery_secret from accounts where id = $1', [id]);
    expect(box.open(row?.delivery_secret as Buffer, { accountId: id, field: 'delivery_secret' })).toBe(wanted.get(id));
  }
  expect(nothing(await columnsSealedWith(gateway, old))).toEqual([]);
  expect(await verifyAuditLogs({ database: gateway.database, keyring: next })).toMatchObject({ ok: true });
});

test('a box that cannot be decrypted is reported with the reason and left unchanged', async () => {
  const [next, stranger] = [randomKeyring(), randomKeyring()];
  const gateway = await gatewayWith();
  const [one = '', two = '', three = ''] = await fill(gateway, 3);
  const write = (id: string, box: Uint8Array) =>
    rows(gateway.database, 'update accounts set delivery_secret = $2 where id = $1', [id, box]);
  const foreign = createSecretBox(stranger).seal('x', { accountId: one, field: 'delivery_secret' });
  const elsewhere = createSecretBox(gateway.keyring).seal('x', { accountId: one, field: 'delivery_secret' });
  await write(one, foreign);
  await write(two, elsewhere);
  await write(three, Buffer.from('no box'));
  const done = await change(gateway, both(next, gateway.keyring));
  const column = 'accounts.delivery_secret';
  expect(done.unreadable).toEqual(
    [
      { column, row: one, why: 'unknown key', keyId: stranger.current.id },
      { column, row: two, why: 'does not decrypt', keyId: gateway.keyring.current.id },
      { column, row: three, why: 'no box', keyId: null },
    ].sort((a, b) => a.row.localeCompare(b.row)),
  );
  const stored = await rows(gateway.database, 'select id, delivery_secret from accounts');
  expect(new Map(stored.map((row) => [row.id, Buffer.from(row.delivery_secret as Buffer)]))).toEqual(
    new Map([
      [one, Buffer.from(foreign)],
      [two, Buffer.from(elsewhere)],
      [three, Buffer.from('no box')],
    ]),
  );
});

test('a key is not retired while a process encrypts with it; once retired, writes with it are refused', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const stale = await gatewayWith({ keyring: both(old, next) });
  const [id = ''] = await fill(stale, 1);
  const keyring = both(next, old);
  onTestFinished(() => void vi.useRealTimers());
  // An audit entry dated a minute ahead counts as written after the run began.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  await stale.admin.request('GET', '/admin/accounts');
  vi.useRealTimers();
  const blocked = await change(stale, keyring);
  expect(blocked.blocked).toContain(`a process still seals with key ${old.current.id}`);
  expect(totalOf(blocked)).toBeGreaterThan(0);
  // The process may continue to write with the old key until it is restarted.
  expect((await stale.admin.request('PATCH', `/admin/accounts/${id}`, { delivery_secret: 'again' })).status).toBe(200);
  expect(nothing(await columnsSealedWith(stale, old)).map(([name]) => name)).toContain('accounts.delivery_secret');

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
  expect((await change(stale, keyring)).blocked).toBeNull();
  vi.useRealTimers();
  const before = await rows(stale.database, 'select * from accounts');
  const { status } = await stale.admin.request('PATCH', `/admin/accounts/${id}`, { delivery_secret: 'stale' });
  expect(status).toBe(503);
  expect((await stale.admin.request('GET', '/admin/accounts')).status).toBe(503);
  expect(await rows(stale.database, 'select * from accounts')).toEqual(before);
  expect(nothing(await columnsSealedWith(stale, old))).toEqual([]);
  expect(await verifyAuditLogs({ database: stale.database, keyring: next })).toMatchObject({ ok: true });
});

test('once a key is retired, a copy of a box that was read before is refused, a later copy accepted', async () => {
  const next = randomKeyring();
  const gateway = await gatewayWith();
  await fill(gateway, 1);
  await inTransaction(gateway.database.pool, async (client) => {
    const { rows: read } = await client.query<{ config: Buffer; id: string; account_id: string }>(
      'select id, account_id, config from destinations',
    );
    expect((await change(gateway, both(next, gateway.keyring))).blocked).toBeNull();
    await expect(
      client.query(
        `insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at, event_attempts, status)
         values ($1, 9, $2, $3, 'webhook', '', $4, 0, now(), 10, 'pending')`,
        [uuidv7(), read[0]?.id, read[0]?.account_id, read[0]?.config],
      ),
    ).rejects.toThrow('sealed with a retired key');
    await client.query('rollback');
    await client.query('begin');
  });
  await copyDestinations(gateway);
  expect(nothing(await columnsSealedWith(gateway, gateway.keyring))).toEqual([]);
});

test('a return to a former key needs the option `back`', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const gateway = await gatewayWith({ keyring: old });
  await gatewayWith({ databaseUrl: gateway.databaseUrl, keyring: both(next, old) });
  await expect(change(gateway, both(old, next))).rejects.toThrow('exchange the two settings');
  expect((await change(gateway, both(old, next), { back: true })).blocked).toBeNull();
  await expect(change(gateway, next)).rejects.toThrow('a key that was replaced cannot be used again');
});
