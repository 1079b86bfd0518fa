import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { FieldError } from '../shared/plain-words.ts';
import type { AccountRow } from './account-entity.ts';
import type { AccountChange } from './account-rules.ts';
import { type UrlField, urlFields } from './account-urls.ts';
import {
  changeOfPrevious,
  endField,
  type PreviousEnds,
  previousEnds,
  type SecretRefusals,
} from './outbound-rotation.ts';
import { openOptions, type SealedOptions, sealChanged } from './sealed-options.ts';
import { isWithoutTls } from './url-credentials.ts';

/** Where the encrypted settings of an account's consumer `default` are. The folder of consumers has their table. */
export interface SettingsOfDefault {
  /** Null: there are none. */
  read(em: EntityManager, accountId: string): Promise<Uint8Array | null>;
  /** Writes them in the transaction of `tx`, in which the account is locked. */
  write(tx: EntityManager, account: AccountRow, sealed: Uint8Array | null): Promise<void>;
}

/** The secrets of an account that sign its deliveries. */
export const deliverySecrets = ['delivery_secret', 'project_delivery_secret'] as const;

interface Deps {
  box: SecretBox;
  settingsOfDefault: SettingsOfDefault;
}

/** Until when the previous delivery secrets of an account sign. */
export async function endsOfDelivery(
  { box, settingsOfDefault }: Deps,
  em: EntityManager,
  accountId: string,
): Promise<PreviousEnds> {
  return previousEnds(openOptions(box, accountId, await settingsOfDefault.read(em, accountId)));
}

/** What a change does to the previous delivery secrets of an account, which are settings of its consumer `default`. */
export interface DeliverySecretsChange extends SecretRefusals {
  /** The names of the changed fields, besides the secrets, for the audit log. */
  changed: string[];
  /** Writes the settings of `default`, if they change. */
  write(): Promise<void>;
}

/**
 * What a change does to the delivery secrets of an account that the caller has locked.
 *
 * @param nowMs by the clock of the database.
 */
export async function changeOfDelivery(
  { box, settingsOfDefault }: Deps,
  tx: EntityManager,
  account: AccountRow,
  sent: AccountChange,
  nowMs: number,
): Promise<DeliverySecretsChange> {
  const { id } = account;
  const sealed = await settingsOfDefault.read(tx, id);
  const options = openOptions(box, id, sealed);
  const secrets = deliverySecrets.map((field) => ({
    field,
    rotate: sent.rotate === true && sent[field] !== undefined,
    fresh: sent[field],
    end: sent[endField(field)],
    stored() {
      const stored = account[field];
      return stored ? (box.open(stored, { accountId: id, field }) ?? undefined) : null;
    },
  }));
  const signsWithKey = options?.signatureKey !== undefined;
  const replacePrevious = sent.replace_previous === true;
  const { errors, inUse, previous } = changeOfPrevious(secrets, { options, signsWithKey, replacePrevious, nowMs });
  errors.push(...errorsOfCertificate(options, account, sent));
  return {
    ...{ errors, inUse },
    changed: secrets.filter(({ rotate, end }) => rotate || end !== undefined).map(({ field }) => endField(field)),
    async write() {
      // What does not decrypt has no previous secret that signs.
      if (options === null) return;
      const after = sealChanged(box, id, { sealed, options }, { ...options, previous });
      if (after !== sealed) await settingsOfDefault.write(tx, account, after);
    },
  };
}

/**
 * Without TLS, the client certificate of `default` would not be presented. Clearing a URL can put the other one in force.
 * A URL that was in force before stays.
 */
function errorsOfCertificate(options: SealedOptions | null, account: AccountRow, sent: AccountChange): FieldError[] {
  if (options?.authentication?.type !== 'mtls') return [];
  const before = urlFields.find((path) => account[path]);
  const after = urlFields.find((path) => urlAfter(account, sent, path));
  if (after === undefined || !isWithoutTls(urlAfter(account, sent, after))) return [];
  const why = 'while the consumer default has a client certificate';
  if (sent[after] !== undefined) return [{ path: after, message: `must begin with https: ${why}` }];
  return before === undefined || before === after
    ? []
    : [{ path: before, message: `must stay ${why}: ${after}, which applies without it, does not begin with https:` }];
}

const urlAfter = (account: AccountRow, sent: AccountChange, path: UrlField) =>
  sent[path] === undefined ? account[path] : sent[path];
