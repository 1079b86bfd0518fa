import type { AccountRow } from '../accounts/account-entity.ts';
import type { DeliveryOptions } from '../accounts/delivery-options.ts';
import { type PauseColumns, shownPause } from '../accounts/pause.ts';
import { maskedUrl } from '../accounts/url-credentials.ts';
import type { ConsumerRow } from './consumer-entity.ts';
import { defaultName } from './consumer-rules.ts';
import type { ShownSecrets } from './consumer-secrets.ts';
import { optionsView } from './delivery-rules.ts';

/** A consumer without its secrets. */
export interface Consumer extends PauseColumns, Omit<ShownSecrets, 'previousEnds'> {
  id: string;
  name: string;
  /** With credentials masked; null for `default` when its account has no address. */
  url: string | null;
  hasSecret: boolean;
  /** Until when the previous secret signs, too; null: there is none. */
  secretPreviousExpiresAt: string | null;
  enabled: boolean;
  condition: string | null;
  options: DeliveryOptions | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * The consumers of an account, `default` first, then the oldest first.
 *
 * @param rows those that are not deleted, oldest first.
 */
export function consumersOf(
  account: AccountRow,
  rows: readonly ConsumerRow[],
  secretsOf: (row: ConsumerRow) => ShownSecrets,
): Consumer[] {
  const ofDefault = rows.find(({ id }) => id === account.id) ?? null;
  const others = rows.filter((row) => row !== ofDefault).map((row) => toConsumer(row, secretsOf(row)));
  return [toDefault(account, ofDefault, ofDefault && secretsOf(ofDefault)), ...others];
}

/** A consumer other than `default`. */
export function toConsumer(row: ConsumerRow, { previousEnds, ...secrets }: ShownSecrets): Consumer {
  const { id, name, url, enabled, condition, paused_since, pause_reason } = row;
  return {
    ...{ id, name, enabled, condition: condition ?? null, paused_since, pause_reason },
    ...{ options: row.options ?? null, ...secrets },
    url: url ? maskedUrl(url, isSet(row.url_credentials)) : null,
    hasSecret: isSet(row.secret),
    secretPreviousExpiresAt: previousEnds.secret ?? null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/**
 * The consumer `default`: as old as its account, with the address by the rule of deliveries (`deliveryTarget`).
 *
 * @param row null while none of its settings was changed.
 */
export function toDefault(account: AccountRow, row: ConsumerRow | null, secrets: ShownSecrets | null): Consumer {
  const own = isSet(account.delivery_url);
  const url = own ? account.delivery_url : account.project_delivery_url;
  const credentials = own ? account.delivery_url_credentials : account.project_delivery_url_credentials;
  const secretField = own ? 'delivery_secret' : 'project_delivery_secret';
  const { previousEnds, ...shown } = secrets ?? noSecrets;
  return {
    ...{ id: account.id, name: defaultName, enabled: row?.enabled ?? true, condition: row?.condition ?? null },
    ...{ paused_since: row?.paused_since, pause_reason: row?.pause_reason },
    ...{ options: row?.options ?? null, ...shown },
    url: url ? maskedUrl(url, isSet(credentials)) : null,
    hasSecret: isSet(account[secretField]),
    secretPreviousExpiresAt: previousEnds[secretField] ?? null,
    createdAt: account.created_at,
    updatedAt: row && row.updated_at > account.updated_at ? row.updated_at : account.updated_at,
  };
}

const noSecrets: ShownSecrets = {
  ...{ authentication: null, ca: null },
  ...{ signature: null, publicKey: null, previousEnds: {} },
};

const isSet = (value: unknown) => value !== null && value !== undefined;

/** A consumer in the form of the admin API. */
export function consumerView(consumer: Consumer) {
  const { id, name, url, hasSecret, enabled, condition, options, createdAt, updatedAt } = consumer;
  const { authentication, ca, signature, publicKey, secretPreviousExpiresAt } = consumer;
  return {
    ...{ id, name, url, has_secret: hasSecret, secret_previous_expires_at: secretPreviousExpiresAt },
    ...{ signature, public_key: publicKey, enabled, condition, paused: shownPause(consumer) },
    ...{ ...optionsView(options), authentication, ca },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
