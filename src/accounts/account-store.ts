import { type FilterQuery, LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { databaseNowMs } from '../database/clock.ts';
import type { Sql } from '../database/sql.ts';
import { inEntityTransaction } from '../database/transaction.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { FieldError } from '../shared/plain-words.ts';
import { AccountEntity, type AccountRow } from './account-entity.ts';
import type { ConditionalChange, NewAccount } from './account-rules.ts';
import { sealUrls } from './account-urls.ts';
import { type SecretsByPath, secretsOfAccount } from './compared-secrets.ts';
import { changeOfDelivery, endsOfDelivery, type SettingsOfDefault } from './delivery-secrets.ts';
import { type PreviousEnds, refusalOf } from './outbound-rotation.ts';
import {
  configWarnings,
  openConfig,
  type ProviderRules,
  type ProviderSettings,
  sealConfig,
  settingsErrors,
  signingSecrets,
  withoutNull,
} from './provider-settings.ts';
import { splitFields } from './sealed-fields.ts';
import { type ChangedFields, changeOfSigning, previousSecret } from './signing-rotation.ts';

export type AccountWrite =
  | { ok: true; account: AccountRow }
  | { ok: false; reason: 'slug_taken' | 'not_found' }
  | { ok: false; reason: 'changed_since'; updatedAt: Date }
  | { ok: false; reason: 'invalid' | 'previous_in_use'; errors: FieldError[] };

/** Stops the deliveries of an account that is being deleted, inside the same transaction. */
type StopDeliveries = (sql: Sql, accountId: string) => Promise<void>;

/** Writes further rows in the transaction that changes an account. */
export type Alongside = (sql: Sql, account: AccountRow, changed: string[]) => Promise<void>;

interface StoreDeps {
  em: () => EntityManager;
  box: SecretBox;
  stopDeliveries: StopDeliveries;
  settingsOfDefault: SettingsOfDefault;
  providers: ReadonlyMap<string, ProviderRules>;
}

/** Stores accounts. Each call uses its own fork of the entity manager, so no state is kept between calls. */
export class AccountStore {
  readonly #deps: StoreDeps;

  constructor(deps: StoreDeps) {
    this.#deps = deps;
  }

  /** Accounts that are not deleted, oldest first, by exact `app_key` and `provider`, and by pause; `ids`: only of these. */
  list(filter: {
    app_key?: string | undefined;
    provider?: string | undefined;
    paused?: boolean | undefined;
    ids?: readonly string[] | null;
  }): Promise<AccountRow[]> {
    const where: FilterQuery<AccountRow> = { deleted_at: null };
    if (filter.app_key !== undefined) where.app_key = filter.app_key;
    if (filter.provider !== undefined) where.provider = filter.provider;
    if (filter.paused !== undefined) where.paused_since = filter.paused ? { $ne: null } : null;
    if (filter.ids) where.id = { $in: [...filter.ids] };
    return this.#deps.em().find(AccountEntity, where, { orderBy: { id: 'asc' } });
  }

  get(id: string): Promise<AccountRow | null> {
    return this.#deps.em().findOne(AccountEntity, { id, deleted_at: null });
  }

  /** Until when the previous delivery secrets of an account sign. */
  previousEnds(accountId: string): Promise<PreviousEnds> {
    return endsOfDelivery(this.#deps, this.#deps.em(), accountId);
  }

  /** The decrypted `provider_config`, without defaults; null when it cannot be read. */
  configOf(account: Pick<AccountRow, 'id' | 'provider_config'>): Record<string, unknown> | null {
    return openConfig(this.#deps.box, account);
  }

  /** The decrypted secrets, for a comparison. */
  readonly secretsOf = (account: AccountRow): SecretsByPath => secretsOfAccount(this.#deps.box, account);

  /** What would be refused in a new account, of settings that were stored before the rule about them. */
  warningsOf(account: Pick<AccountRow, 'id' | 'provider' | 'provider_config'>): FieldError[] {
    return configWarnings(this.#deps.providers.get(account.provider), this.configOf(account));
  }

  /**
   * Creates an account. The result is `slug_taken` when another account has this provider and slug (a deleted account
   * frees its slug), and `invalid` when the settings do not match the provider.
   */
  async create(input: NewAccount, alongside?: Alongside): Promise<AccountWrite> {
    const id = uuidv7();
    const now = new Date();
    const provider_config = withoutNull(input.provider_config);
    const urls = sealUrls(this.#deps.box, id, input, null);
    const errors = [...urls.errors, ...this.#errors(input.provider, { ...input, provider_config })];
    if (errors.length > 0) return { ok: false, reason: 'invalid', errors };
    const { secrets, plain } = splitFields(this.#deps.box, id, input);
    return this.#write(() =>
      inEntityTransaction(this.#deps.em(), async (tx, sql): Promise<AccountWrite> => {
        const account = tx.create(AccountEntity, {
          id,
          org_id: null,
          signing_secret_current: null,
          signing_secret_previous: null,
          signing_secret_previous_expires_at: null,
          skip_signature_verification: false,
          delivery_url: null,
          delivery_url_credentials: null,
          delivery_secret: null,
          project_id: null,
          project_delivery_url: null,
          project_delivery_url_credentials: null,
          project_delivery_secret: null,
          enabled: true,
          consumers_revision: 0,
          paused_since: null,
          pause_reason: null,
          ...plain,
          ...urls.columns,
          ...secrets,
          provider_config: sealConfig(this.#deps.box, id, provider_config),
          provider: input.provider,
          account_slug: input.account_slug,
          app_key: input.app_key,
          created_at: now,
          updated_at: now,
          deleted_at: null,
        });
        await tx.persist(account).flush();
        await alongside?.(sql, account, Object.keys(input));
        return { ok: true, account };
      }),
    );
  }

  /**
   * Changes only the fields in `sent`; null clears one. The row is locked, so no concurrent update is lost. Nothing is
   * changed if `if_updated_at` is not the account's `updated_at`.
   */
  async update(
    id: string,
    { if_updated_at, ...sent }: ConditionalChange,
    alongside?: Alongside,
  ): Promise<AccountWrite> {
    return this.#write(() =>
      inEntityTransaction(this.#deps.em(), async (tx, sql): Promise<AccountWrite> => {
        const account = await lockAccount(tx, id);
        if (!account) return { ok: false, reason: 'not_found' };
        const { updated_at: updatedAt } = account;
        if (if_updated_at !== undefined && Date.parse(if_updated_at) !== updatedAt.getTime())
          return { ok: false, reason: 'changed_since', updatedAt };
        const ofSigning = changeOfSigning(this.#deps.box, account, sent);
        const ofDelivery = await changeOfDelivery(this.#deps, tx, account, sent, await databaseNowMs(sql));
        const refusal = refusalOf([ofSigning, ofDelivery]);
        if (refusal) return refusal;
        const { fields: change, kept, expiresAt } = ofSigning;
        // One whose end has come is accepted no more; here it is also erased.
        account.signing_secret_previous = previousSecret(account);
        const stored = this.configOf(account) ?? {};
        const settings = this.#settingsAfter(account, stored, change, kept);
        const urls = sealUrls(this.#deps.box, account.id, change, account);
        const errors = [...urls.errors, ...this.#errors(change.provider ?? account.provider, settings, stored)];
        if (errors.length > 0) return { ok: false, reason: 'invalid', errors };
        const written = kept === null ? change : { ...change, signing_secret_previous: kept };
        const { secrets, plain } = splitFields(this.#deps.box, account.id, written);
        const { provider_config } = settings;
        const config = provider_config
          ? { provider_config: sealConfig(this.#deps.box, account.id, provider_config) }
          : {};
        // Later than before, although clocks of processes differ, so that `if_updated_at` finds each change.
        const updated_at = new Date(Math.max(Date.now(), updatedAt.getTime() + 1));
        tx.assign(account, { ...plain, ...urls.columns, ...secrets, ...config, updated_at });
        account.signing_secret_previous_expires_at = expiresAt;
        // Without an address, the consumer `default` gets no webhooks while there are others.
        account.consumers_revision += 1;
        await tx.flush();
        await ofDelivery.write();
        await alongside?.(sql, account, [...ofSigning.changed, ...ofDelivery.changed]);
        return { ok: true, account };
      }),
    );
  }

  /** Soft-deletes an account: its events stay readable, its slug becomes free, and its pending deliveries stop. */
  async delete(id: string, alongside?: Alongside): Promise<boolean> {
    return inEntityTransaction(this.#deps.em(), async (tx, sql) => {
      const account = await lockAccount(tx, id);
      if (!account) return false;
      account.deleted_at = new Date();
      await tx.flush();
      await this.#deps.stopDeliveries(sql, id);
      await alongside?.(sql, account, []);
      return true;
    });
  }

  async #write(run: () => Promise<AccountWrite>): Promise<AccountWrite> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) return { ok: false, reason: 'slug_taken' };
      throw error;
    }
  }

  #errors(
    provider: string,
    settings: Partial<ProviderSettings>,
    storedConfig?: ProviderSettings['provider_config'],
  ): FieldError[] {
    const rules = this.#deps.providers.get(provider);
    return rules ? settingsErrors(rules, settings, storedConfig) : [];
  }

  /**
   * The settings that the provider has to validate after a change. The config is merged field by field; a change of the
   * provider drops the previous config. If config or provider changes, the stored secrets are validated again, and so
   * is the one that a rotation keeps.
   */
  #settingsAfter(
    account: AccountRow,
    stored: ProviderSettings['provider_config'],
    change: ChangedFields,
    kept: string | null,
  ): Partial<ProviderSettings> {
    const { provider_config: sent, signing_secret_current, signing_secret_previous } = change;
    const secrets = { signing_secret_current, signing_secret_previous };
    const sameProvider = change.provider === undefined || change.provider === account.provider;
    if (sameProvider && sent === undefined) return secrets;
    if (kept !== null) secrets.signing_secret_previous = kept;
    for (const field of signingSecrets) {
      const sealed = account[field];
      if (secrets[field] === undefined && sealed)
        secrets[field] = this.#deps.box.open(sealed, { accountId: account.id, field });
    }
    return { ...secrets, provider_config: withoutNull(sameProvider && sent ? { ...stored, ...sent } : sent) };
  }
}

/** Locks an account until the end of the transaction; null when there is no such account. */
export const lockAccount = (tx: EntityManager, id: string): Promise<AccountRow | null> =>
  tx.findOne(AccountEntity, { id, deleted_at: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
