import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountRow } from '../accounts/account-entity.ts';
import { isWithoutTls } from '../accounts/url-credentials.ts';
import type { FieldError } from '../shared/plain-words.ts';
import { ConsumerEntity, type ConsumerRow } from './consumer-entity.ts';
import { type ConsumerChange, defaultName } from './consumer-rules.ts';

/** The rows of an account's consumers that are not deleted, oldest first. */
export const rowsOf = (em: EntityManager, accountId: string): Promise<ConsumerRow[]> =>
  em.find(ConsumerEntity, { account_id: accountId, deleted_at: null }, { orderBy: { created_at: 'asc', id: 'asc' } });

/** A row that is not stored yet. */
export function newRow(
  em: EntityManager,
  accountId: string,
  fields: Pick<ConsumerRow, 'id' | 'name'> & Partial<ConsumerRow>,
): ConsumerRow {
  const now = new Date();
  return em.create(
    ConsumerEntity,
    {
      ...{ account_id: accountId, url: null, url_credentials: null, secret: null, enabled: true, condition: null },
      ...{ options: null, sealed_options: null, certificate_expires_at: null },
      ...{ paused_since: null, pause_reason: null, created_at: now, updated_at: now, deleted_at: null },
      ...fields,
    },
    // A change that is refused must leave no row of `default`.
    { persist: false },
  );
}

/** The row of `default`, with the values that hold while it has none. */
export const newRowOfDefault = (em: EntityManager, { id, created_at, updated_at }: AccountRow): ConsumerRow =>
  newRow(em, id, { id, name: defaultName, created_at, updated_at });

/**
 * Why a consumer cannot have this name; empty when it can.
 *
 * @param rows all consumers of its account.
 * @param own the row of the consumer; absent for a new one.
 */
export function errorsOfName(rows: readonly ConsumerRow[], name: string | undefined, own?: ConsumerRow): FieldError[] {
  const isTaken = name === defaultName || rows.some((row) => row.name === name && row !== own);
  return isTaken ? [{ path: 'name', message: 'is taken by another consumer of this account' }] : [];
}

/**
 * Why a client certificate cannot be used with this address; empty when it can. Without TLS it would not be presented.
 *
 * @param change what is set now.
 */
export function errorsOfCertificate(
  after: { url: string | null | undefined; certificate_expires_at: Date | null | undefined },
  change: Pick<ConsumerChange, 'url' | 'authentication'>,
): FieldError[] {
  if (!after.certificate_expires_at || !isWithoutTls(after.url)) return [];
  if (change.authentication !== undefined)
    return [{ path: 'authentication', message: 'needs an https: URL to present a certificate' }];
  return change.url === undefined
    ? []
    : [{ path: 'url', message: 'must begin with https: while the consumer has a client certificate' }];
}

const endOfDefault =
  'of the consumer default is set with the account, as delivery_secret_previous_expires_at or project_delivery_secret_previous_expires_at';
const rotatedWithAccount =
  'of the consumer default is sent with the account, beside delivery_secret or project_delivery_secret';

const notOfDefault = {
  name: `cannot be changed: each account has a consumer ${defaultName}`,
  url: `of the consumer ${defaultName} is set with the account, as delivery_url or project_delivery_url`,
  secret: `of the consumer ${defaultName} is set with the account, as delivery_secret or project_delivery_secret`,
  secret_previous_expires_at: endOfDefault,
  rotate: rotatedWithAccount,
  replace_previous: rotatedWithAccount,
} as const;
const fieldsOfAccount = Object.keys(notOfDefault) as (keyof typeof notOfDefault)[];

/** Why `default` cannot be changed so; empty when it can. */
export const errorsOfDefault = (change: ConsumerChange): FieldError[] =>
  fieldsOfAccount.filter((path) => change[path] !== undefined).map((path) => ({ path, message: notOfDefault[path] }));
