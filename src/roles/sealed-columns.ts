import { secretFields } from '../accounts/account-entity.ts';
import { credentialFields } from '../accounts/account-urls.ts';
import { configPlace } from '../accounts/provider-settings.ts';
import { retiredPlace } from '../audit/retired-keys.ts';
import { consumerPlace, sealedConsumerColumns } from '../consumers/consumer-secrets.ts';
import { settingsPlace } from '../notifications/destinations/sealed-settings.ts';
import type { SealedColumn } from '../secrets/sealed-column.ts';

/** A column with the config of a destination, or with a copy of it. */
const destinationConfig = (table: string, destinationId: string, key: SealedColumn['key']): SealedColumn => ({
  ...{ table, key, column: 'config', placeColumns: ['account_id', destinationId] },
  placeOf: (row) => settingsPlace({ account_id: row.account_id ?? '', id: row[destinationId] ?? '' }),
});

/**
 * All columns with encrypted values, which `npm run reseal` processes. The values of a missing column would be lost
 * together with the previous key, so a test compares this list with all bytea columns. A new column also needs the
 * trigger `refuse_retired_key`.
 *
 * Columns with copies come after the columns that they are copied from.
 */
export const sealedColumns: readonly SealedColumn[] = [
  ...[...secretFields, ...Object.values(credentialFields)].map(
    (column): SealedColumn => ({
      ...{ table: 'accounts', column, key: { id: 'uuid' }, placeColumns: ['id'] },
      placeOf: ({ id = '' }) => ({ accountId: id, field: column }),
    }),
  ),
  {
    ...{ table: 'accounts', column: 'provider_config', key: { id: 'uuid' }, placeColumns: ['id'] },
    placeOf: ({ id = '' }) => configPlace(id),
  },
  ...sealedConsumerColumns.map(
    (column): SealedColumn => ({
      ...{ table: 'consumers', column, key: { id: 'uuid' }, placeColumns: ['id'] },
      placeOf: ({ id = '' }) => consumerPlace(id, column),
    }),
  ),
  destinationConfig('destinations', 'id', { id: 'uuid' }),
  destinationConfig('notifications', 'destination_id', {
    event_id: 'uuid',
    generation: 'integer',
    destination_id: 'uuid',
  }),
  destinationConfig('notification_summaries', 'destination_id', { id: 'uuid' }),
  destinationConfig('incident_messages', 'destination_id', { id: 'uuid' }),
  {
    ...{ table: 'secrets_keys', column: 'retired_audit', key: { id: 'text' }, placeColumns: ['id'] },
    placeOf: ({ id = '' }) => retiredPlace(id),
  },
];
