import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AccountEntity, type AccountRow } from '../accounts/account-entity.ts';
import { lockAccount } from '../accounts/account-store.ts';
import { sealUrl } from '../accounts/account-urls.ts';
import type { SecretsByPath } from '../accounts/compared-secrets.ts';
import type { DeliveryOptions } from '../accounts/delivery-options.ts';
import type { ConsumerAddress } from '../accounts/delivery-target.ts';
import { beginPause, endPause } from '../accounts/pause.ts';
import { databaseNowMs } from '../database/clock.ts';
import type { Sql } from '../database/sql.ts';
import { inEntityTransaction } from '../database/transaction.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { FieldError } from '../shared/plain-words.ts';
import { changeRow, type Found } from './change-row.ts';
import { secretsOfConsumers } from './compared-secrets.ts';
import { type Consumer, consumersOf, toConsumer, toDefault } from './consumer.ts';
import { ConsumerEntity } from './consumer-entity.ts';
import { errorsOfCertificate, errorsOfName, newRow, newRowOfDefault, rowsOf } from './consumer-rows.ts';
import { type ConsumerChange, defaultName, maxConsumers, type NewConsumer } from './consumer-rules.ts';
import { changedSecrets, consumerPlace, shownSecrets } from './consumer-secrets.ts';
import { changedOptions } from './delivery-rules.ts';

/** Why a consumer was not written. */
export type Unwritten =
  | { ok: false; reason: 'account_not_found' | 'not_found' | 'is_default' }
  | { ok: false; reason: 'invalid' | 'previous_in_use'; errors: FieldError[] };

export type ConsumerWrite = { ok: true; consumer: Consumer } | Unwritten;

/** Writes further rows in the transaction that changes a consumer. */
export type Alongside = (sql: Sql, consumer: Consumer) => Promise<void>;

/** What a test delivery needs of a consumer. */
export interface TestedConsumer {
  name: string;
  /** Null: `default`, which has the addresses of its account. */
  address: ConsumerAddress | null;
  /** Encrypted; null: none. */
  sealedOptions: Uint8Array | null;
  options: DeliveryOptions | null;
}

const newSecrets = (id: string) => ({ id, secret: null, sealed_options: null, certificate_expires_at: null });

const tooMany: FieldError = {
  path: 'name',
  message: `is one too many: the account has ${maxConsumers} consumers; delete one first`,
};

export interface ConsumerStoreDeps {
  /** Returns a new fork for each call. */
  em: () => EntityManager;
  box: SecretBox;
  /** Ends the waiting events of a consumer that is being deleted, inside the same transaction. */
  stopDeliveries: (sql: Sql, consumerId: string) => Promise<void>;
  /** Announces to all processes, with the commit, that waiting events of these consumers may be sent. */
  wake: (sql: Sql, consumerIds: readonly string[]) => Promise<void>;
}

/**
 * Stores consumers. Each write locks the account first, which serializes the writes of an account: no update is lost,
 * the limit holds, and no consumer is added to a deleted account. Each write also increases
 * `accounts.consumers_revision`, so that ingestion stores no webhook that it judged by other consumers.
 */
export class ConsumerStore {
  readonly #deps: ConsumerStoreDeps;

  constructor(deps: ConsumerStoreDeps) {
    this.#deps = deps;
  }

  /** The consumers of an account, `default` first, then the oldest first; null when there is no such account. */
  async list(accountId: string): Promise<Consumer[] | null> {
    const em = this.#deps.em();
    const account = await em.findOne(AccountEntity, { id: accountId, deleted_at: null });
    return account && consumersOf(account, await rowsOf(em, accountId), (row) => shownSecrets(this.#deps.box, row));
  }

  /** The decrypted secrets of an account's consumers, for a comparison. */
  async secretsOf(accountId: string): Promise<SecretsByPath> {
    return secretsOfConsumers(this.#deps.box, await rowsOf(this.#deps.em(), accountId));
  }

  /** A consumer for a test delivery; null when there is none of this name. */
  async tested(accountId: string, name: string): Promise<TestedConsumer | null> {
    const row = await this.#deps.em().findOne(ConsumerEntity, { account_id: accountId, name, deleted_at: null });
    if (!row && name !== defaultName) return null;
    const address = row?.url
      ? { id: row.id, url: row.url, urlCredentials: row.url_credentials ?? null, secret: row.secret ?? null }
      : null;
    return { name, address, sealedOptions: row?.sealed_options ?? null, options: row?.options ?? null };
  }

  /** Creates a consumer; `invalid` when its name is taken, or the account has the most consumers already. */
  create(accountId: string, input: NewConsumer, alongside?: Alongside): Promise<ConsumerWrite> {
    return this.#write(accountId, async (tx, sql, account) => {
      const rows = await rowsOf(tx, accountId);
      const id = uuidv7();
      const errors = errorsOfName(rows, input.name);
      const { url, credentials, mistake } = sealUrl(this.#deps.box, consumerPlace(id, 'url_credentials'), input.url, {
        ...{ url: null, credentials: null },
      });
      if (errors.length === 0 && rows.filter((row) => row.id !== account.id).length + 1 >= maxConsumers)
        errors.push(tooMany);
      if (mistake !== null) errors.push({ path: 'url', message: mistake });
      const secrets = changedSecrets(this.#deps.box, newSecrets(id), input, Date.now());
      errors.push(...errorsOfCertificate({ ...secrets, url }, input));
      if (errors.length > 0) return { ok: false, reason: 'invalid', errors };
      const row = newRow(tx, accountId, {
        ...{ id, name: input.name, url, url_credentials: credentials ?? null },
        ...{ enabled: input.enabled ?? true, condition: input.condition ?? null, options: changedOptions(null, input) },
        ...{ secret: secrets.secret, sealed_options: secrets.sealed_options },
        certificate_expires_at: secrets.certificate_expires_at,
      });
      await tx.persist(row).flush();
      const consumer = toConsumer(row, shownSecrets(this.#deps.box, row));
      await alongside?.(sql, consumer);
      return { ok: true, consumer };
    });
  }

  /**
   * Changes only the fields in `change`; null clears one. Of `default`, url, secret and name cannot be changed: they are
   * the account's.
   */
  update(accountId: string, name: string, change: ConsumerChange, alongside?: Alongside): Promise<ConsumerWrite> {
    return this.#change(accountId, name, alongside, async (tx, sql, found) => {
      const nowMs = await databaseNowMs(sql);
      const refusal = await changeRow({ tx, box: this.#deps.box, nowMs }, found, change);
      if (refusal) return refusal;
      if (change.enabled) await this.#deps.wake(sql, [found.row.id]);
      return null;
    });
  }

  /** Pauses deliveries to a consumer. A pause that is in force keeps its time and reason. */
  pause(accountId: string, name: string, reason: string, alongside?: Alongside): Promise<ConsumerWrite> {
    return this.#change(accountId, name, alongside, async (_tx, _sql, { row }) => {
      beginPause(row, reason);
      return null;
    });
  }

  /** Resumes deliveries to a consumer; no change if they are not paused. */
  resume(accountId: string, name: string, alongside?: Alongside): Promise<ConsumerWrite> {
    return this.#change(accountId, name, alongside, async (_tx, sql, { row }) => {
      endPause(row);
      await this.#deps.wake(sql, [row.id]);
      return null;
    });
  }

  /** Deletes a consumer: its waiting events end, and its name becomes free. Its events keep its id. */
  delete(accountId: string, name: string, alongside?: Alongside): Promise<ConsumerWrite> {
    return this.#change(accountId, name, alongside, async (tx, sql, { account, row }) => {
      if (row.id === account.id) return { ok: false, reason: 'is_default' };
      row.deleted_at = new Date();
      await tx.flush();
      await this.#deps.stopDeliveries(sql, row.id);
      return null;
    });
  }

  /** Pauses deliveries to all consumers of an account; null when there is no such account. */
  pauseAccount(
    accountId: string,
    reason: string,
    alongside?: (sql: Sql, account: AccountRow) => Promise<void>,
  ): Promise<AccountRow | null> {
    return this.#changeAccount(accountId, async (tx, sql, account) => {
      beginPause(account, reason);
      await tx.flush();
      await alongside?.(sql, account);
    });
  }

  /** Resumes deliveries to all consumers of an account; null when there is no such account. */
  resumeAccount(
    accountId: string,
    alongside?: (sql: Sql, account: AccountRow) => Promise<void>,
  ): Promise<AccountRow | null> {
    return this.#changeAccount(accountId, async (tx, sql, account) => {
      endPause(account);
      await tx.flush();
      const others = (await rowsOf(tx, accountId)).map(({ id }) => id).filter((id) => id !== accountId);
      await this.#deps.wake(sql, [accountId, ...others]);
      await alongside?.(sql, account);
    });
  }

  async #changeAccount(
    accountId: string,
    change: (tx: EntityManager, sql: Sql, account: AccountRow) => Promise<void>,
  ): Promise<AccountRow | null> {
    return inEntityTransaction(this.#deps.em(), async (tx, sql) => {
      const account = await lockAccount(tx, accountId);
      if (account) await change(tx, sql, account);
      return account;
    });
  }

  /** Runs `work` with the account locked. What it refuses changes nothing. */
  #write(
    accountId: string,
    work: (tx: EntityManager, sql: Sql, account: AccountRow) => Promise<ConsumerWrite>,
  ): Promise<ConsumerWrite> {
    return inEntityTransaction(this.#deps.em(), async (tx, sql): Promise<ConsumerWrite> => {
      const account = await lockAccount(tx, accountId);
      if (!account) return { ok: false, reason: 'account_not_found' };
      const written = await work(tx, sql, account);
      if (written.ok) account.consumers_revision += 1;
      return written;
    });
  }

  /**
   * Changes the consumer with this name. A row of `default` is made when it has none.
   *
   * @param change returns why nothing was changed, or null.
   */
  #change(
    accountId: string,
    name: string,
    alongside: Alongside | undefined,
    change: (tx: EntityManager, sql: Sql, found: Found) => Promise<Unwritten | null>,
  ): Promise<ConsumerWrite> {
    return this.#write(accountId, async (tx, sql, account) => {
      // Read after the lock was acquired, so that it includes the changes of earlier writers.
      const stored = await tx.findOne(ConsumerEntity, { account_id: accountId, name, deleted_at: null });
      if (!stored && name !== defaultName) return { ok: false, reason: 'not_found' };
      const row = stored ?? newRowOfDefault(tx, account);
      const refused = await change(tx, sql, { account, row });
      if (refused) return refused;
      await tx.persist(row).flush();
      const shown = shownSecrets(this.#deps.box, row);
      const consumer = row.id === account.id ? toDefault(account, row, shown) : toConsumer(row, shown);
      await alongside?.(sql, consumer);
      return { ok: true, consumer };
    });
  }
}
