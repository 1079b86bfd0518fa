import { v7 as uuidv7 } from 'uuid';
import { onTestFinished } from 'vitest';
import { secretFields } from '../../src/accounts/account-entity.ts';
import { changeKey } from '../../src/roles/change-key.ts';
import { sealedColumns } from '../../src/roles/sealed-columns.ts';
import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { boxPrefix, createSecretBox } from '../../src/secrets/secret-box.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import type { TestGatewayOptions } from '../support/gateway-options.ts';
import { rows } from '../support/stored.ts';

export async function gatewayWith(options: TestGatewayOptions = {}) {
  const gateway = await startGateway({ worker: false, apiWithoutTemporal: true, ...options });
  onTestFinished(() => gateway.stop());
  return gateway;
}

export const both = (current: Keyring, previous: Keyring) =>
  createKeyring(current.current.bytes, previous.current.bytes);
export const change = (
  gateway: TestGateway,
  keyring: Keyring,
  options: Partial<Parameters<typeof changeKey>[0]> = {},
) =>
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

const consumer = {
  name: 'billing',
  url: 'http://user:secret-of-url@127.0.0.1:9/billing',
  secret: 'secret of consumer',
  authentication: { type: 'bearer', token: 'secret-of-authentication' },
};

/** Creates accounts, consumers and destinations, and copies of these in the tables of messages. */
export async function fill(gateway: TestGateway, accounts: number) {
  const made = [];
  for (let n = 0; n < accounts; n += 1) {
    const account = await gateway.admin.createAccount({
      ...secrets,
      provider: 'hmac',
      provider_config: { header: 'x-s' },
      ...urls,
    });
    await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, webhook);
    await gateway.admin.post(`/admin/accounts/${account.id}/consumers`, consumer);
    made.push(account.id);
  }
  await copyDestinations(gateway);
  return made as string[];
}

export async function copyDestinations({ database }: TestGateway) {
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
  await rows(
    database,
    `insert into incident_messages (id, incident_id, incident_kind, kind, reminder, destination_id, account_id, destination_type, name, config,
       place, provider, account_slug, app_key, cause, first_seen_at, last_seen_at, failures, happened_at, status)
     select gen_random_uuid(), gen_random_uuid(), 'delivery', 'incident.opened', false, id, account_id, destination_type, name, config,
       'place', 'generic', 'a', 'b', '500', now(), now(), 5, now(), 'sent' from destinations`,
  );
}

/** Every bytea column of the database, with the number of its values that are boxes of this key (by the key's id). */
export async function columnsSealedWith({ database }: TestGateway, keyring: Keyring): Promise<Record<string, number>> {
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

export const nothing = (found: Record<string, number>) => Object.entries(found).filter(([, n]) => n > 0);

/** All decrypted texts of the sealed columns; null where one does not decrypt. */
export async function opened({ database }: TestGateway, keyring: Keyring): Promise<(string | null)[]> {
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
