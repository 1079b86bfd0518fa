import { type FilterQuery, LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AccountEntity, type AccountRow, type SecretField, secretFields } from './account-entity.ts';
import type { AccountChange, NewAccount } from './account-rules.ts';
import type { SecretBox } from './secret-box.ts';

export type AccountWrite = { ok: true; account: AccountRow } | { ok: false; reason: 'slug_taken' | 'not_found' };

/** Stops the deliveries of an account that is being deleted, inside the same transaction. */
export type StopDeliveries = (em: EntityManager, accountId: string) => Promise<void>;

/** What is to be written in the same transaction as a change of an account. */
export type Alongside = (em: EntityManager, account: AccountRow, changed: string[]) => Promise<void>;

/** Accounts for operators. Each call works on a fork of its own: nothing is kept between calls. */
export class AccountStore {
  readonly #em: () => EntityManager;
  readonly #box: SecretBox;
  readonly #stopDeliveries: StopDeliveries;

  constructor(options: { em: () => EntityManager; box: SecretBox; stopDeliveries: StopDeliveries }) {
    this.#em = options.em;
    this.#box = options.box;
    this.#stopDeliveries = options.stopDeliveries;
  }

  /** Accounts that are not deleted, oldest first, filtered by exact `app_key` and `provider`. */
  list(filter: { app_key?: string | undefined; provider?: string | undefined }): Promise<AccountRow[]> {
    const where: FilterQuery<AccountRow> = { deleted_at: null };
    if (filter.app_key !== undefined) where.app_key = filter.app_key;
    if (filter.provider !== undefined) where.provider = filter.provider;
    return this.#em().find(AccountEntity, where, { orderBy: { id: 'asc' } });
  }

  get(id: string): Promise<AccountRow | null> {
    return this.#em().findOne(AccountEntity, { id, deleted_at: null });
  }

  /** A provider and slug that an account has already is `slug_taken`; a deleted account frees its slug. */
  async create(input: NewAccount, alongside?: Alongside): Promise<AccountWrite> {
    const em = this.#em();
    const id = uuidv7();
    const now = new Date();
    const { secrets, plain } = this.#split(id, input);
    const account = em.create(AccountEntity, {
      id,
      org_id: null,
      signing_secret_current: null,
      signing_secret_previous: null,
      skip_signature_verification: false,
      delivery_url: null,
      delivery_secret: null,
      project_id: null,
      project_delivery_url: null,
      project_delivery_secret: null,
      enabled: true,
      ...plain,
      ...secrets,
      provider: input.provider,
      account_slug: input.account_slug,
      app_key: input.app_key,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    });
    return this.#write(account, () =>
      em.transactional(async (tx) => {
        await tx.persist(account).flush();
        await alongside?.(tx, account, Object.keys(input));
      }),
    );
  }

  /** Changes only what `change` holds; null clears. The row is locked, so two operators' changes never lose each other's. */
  async update(id: string, change: AccountChange, alongside?: Alongside): Promise<AccountWrite> {
    const em = this.#em();
    let changed: AccountRow | null = null;
    const run = () =>
      em.transactional(async (tx) => {
        const account = await tx.findOne(
          AccountEntity,
          { id, deleted_at: null },
          { lockMode: LockMode.PESSIMISTIC_WRITE },
        );
        if (!account) return;
        const { secrets, plain } = this.#split(account.id, change);
        tx.assign(account, { ...plain, ...secrets, updated_at: new Date() });
        await tx.flush();
        await alongside?.(tx, account, Object.keys(change));
        changed = account;
      });
    return this.#write(() => changed, run);
  }

  /** Deletes softly: events stay readable, the slug is free again, and what waits for delivery stops. */
  async delete(id: string, alongside?: Alongside): Promise<boolean> {
    return this.#em().transactional(async (tx) => {
      const account = await tx.findOne(
        AccountEntity,
        { id, deleted_at: null },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (!account) return false;
      account.deleted_at = new Date();
      await tx.flush();
      await this.#stopDeliveries(tx, id);
      await alongside?.(tx, account, []);
      return true;
    });
  }

  async #write(account: AccountRow | (() => AccountRow | null), run: () => Promise<unknown>): Promise<AccountWrite> {
    try {
      await run();
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) return { ok: false, reason: 'slug_taken' };
      throw error;
    }
    const written = typeof account === 'function' ? account() : account;
    return written ? { ok: true, account: written } : { ok: false, reason: 'not_found' };
  }

  /** Parts the secrets, sealed, from the fields that are stored as they are. An empty secret is none. */
  #split<T extends AccountChange>(id: string, input: T) {
    const secrets: Partial<Record<SecretField, Buffer | null>> = {};
    const plain = { ...input };
    for (const field of secretFields) {
      const value = input[field];
      delete plain[field];
      if (value !== undefined) {
        secrets[field] =
          value === null || value === '' ? null : Buffer.from(this.#box.seal(value, { accountId: id, field }));
      }
    }
    const fields: Omit<T, SecretField> = plain;
    return { secrets, plain: fields };
  }
}
