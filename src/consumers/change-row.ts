import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountRow } from '../accounts/account-entity.ts';
import { sealUrl } from '../accounts/account-urls.ts';
import { refusalOf } from '../accounts/outbound-rotation.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { ConsumerRow } from './consumer-entity.ts';
import { errorsOfCertificate, errorsOfDefault, errorsOfName, rowsOf } from './consumer-rows.ts';
import type { ConsumerChange } from './consumer-rules.ts';
import { changedSecrets, consumerPlace } from './consumer-secrets.ts';
import { changedOptions } from './delivery-rules.ts';

/** A consumer whose account is locked. */
export interface Found {
  account: AccountRow;
  row: ConsumerRow;
}

/**
 * Changes the row of a consumer. Absent fields stay, null clears one.
 *
 * @param nowMs by the clock of the database.
 * @returns why the change is refused, or null. Nothing is changed if it is refused.
 */
export async function changeRow(
  { tx, box, nowMs }: { tx: EntityManager; box: SecretBox; nowMs: number },
  { account, row }: Found,
  change: ConsumerChange,
): Promise<ReturnType<typeof refusalOf>> {
  const { url: text, name, enabled, condition } = change;
  const isDefault = row.id === account.id;
  const errors = isDefault ? errorsOfDefault(change) : errorsOfName(await rowsOf(tx, account.id), name, row);
  const url =
    text === undefined
      ? null
      : sealUrl(box, consumerPlace(row.id, 'url_credentials'), text, {
          ...{ url: row.url ?? null, credentials: row.url_credentials ?? null },
        });
  if (url?.mistake) errors.push({ path: 'url', message: url.mistake });
  // The secrets of `default` are the account's, so there are no more errors of it.
  const secrets = changedSecrets(box, row, isDefault ? withoutRotation(change) : change, nowMs);
  const after = isDefault ? (account.delivery_url ?? account.project_delivery_url) : (url ?? row).url;
  errors.push(...errorsOfCertificate({ ...secrets, url: after }, change));
  const refusal = refusalOf([{ errors, inUse: [] }, secrets]);
  if (refusal) return refusal;
  tx.assign(row, { name, enabled, condition, updated_at: new Date() }, { ignoreUndefined: true });
  row.options = changedOptions(row.options ?? null, change);
  if (url) row.url = url.url;
  if (url && url.credentials !== undefined) row.url_credentials = url.credentials;
  row.secret = secrets.secret;
  row.sealed_options = secrets.sealed_options;
  row.certificate_expires_at = secrets.certificate_expires_at;
  return null;
}

const withoutRotation = ({ authentication, ca, signature }: ConsumerChange) => ({ authentication, ca, signature });
