import { expect, test } from 'vitest';
import { sealedColumns } from '../../src/roles/sealed-columns.ts';
import { nameOf } from '../../src/secrets/sealed-column.ts';
import { rows } from '../support/stored.ts';
import { columnsSealedWith, fill, gatewayWith, nothing } from './resealing.ts';

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
