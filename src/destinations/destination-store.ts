import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AccountEntity } from '../accounts/account-entity.ts';
import type { Sql } from '../database/sql.ts';
import { inEntityTransaction } from '../database/transaction.ts';
import { SealedValueUnreadable } from '../secrets/sealed-value-unreadable.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { FieldError } from '../shared/plain-words.ts';
import { changedSettings, checkSettings, type DestinationSettings, withoutEmpty } from './destination-config.ts';
import { DestinationEntity, type DestinationRow } from './destination-entity.ts';
import type { DestinationChange, NewDestination } from './destination-rules.ts';
import { openSettings, sealSettings } from './sealed-settings.ts';

/** A destination without what is sealed. */
export interface DestinationHead {
  id: string;
  account_id: string;
  destination_type: DestinationSettings['destination_type'];
  name: string;
  condition: string | null;
  enabled: boolean;
  position: number;
  created_at: Date;
  updated_at: Date;
}

/** A destination with its config in the clear: optional fields that hold nothing are absent. */
export type Destination = DestinationHead & DestinationSettings;

export type DestinationCreated =
  | { ok: true; destination: Destination }
  | { ok: false; reason: 'account_not_found' | 'too_many' };

export type DestinationUpdated =
  | { ok: true; destination: Destination }
  | { ok: false; reason: 'not_found' }
  | { ok: false; reason: 'invalid'; errors: FieldError[] };

/** More than anyone has; each is a notification of every exhausted event. */
export const maxDestinations = 100;

/** A stored config does not decrypt with SECRETS_KEY, or is none of its type. A PATCH with a whole config heals it. */
export class DestinationUnreadable extends SealedValueUnreadable {
  override name = 'DestinationUnreadable';
  readonly destinationId: string;

  constructor(destinationId: string) {
    super(`the config of the destination ${destinationId} does not decrypt with SECRETS_KEY; set all of it anew`);
    this.destinationId = destinationId;
  }
}

/**
 * Destinations for operators. Writers lock the account first, so they go one after another: no change gets lost, none
 * exceeds the limit, and none outlives the account. `alongside` commits together with the change; when it throws,
 * nothing is changed.
 */
export class DestinationStore {
  readonly #em: () => EntityManager;
  readonly #box: SecretBox;

  /** @param options.em makes a fork for each call. */
  constructor(options: { em: () => EntityManager; box: SecretBox }) {
    this.#em = options.em;
    this.#box = options.box;
  }

  /**
   * By position, then age; null when there is no such account.
   *
   * @throws DestinationUnreadable
   */
  async list(accountId: string): Promise<Destination[] | null> {
    const em = this.#em();
    if (!(await em.findOne(AccountEntity, { id: accountId, deleted_at: null }, { fields: ['id'] }))) return null;
    const rows = await em.find(
      DestinationEntity,
      { account_id: accountId },
      { orderBy: { position: 'asc', created_at: 'asc', id: 'asc' } },
    );
    return rows.map((row) => toDestination(row, this.#readable(row)));
  }

  /**
   * A destination of an account, disabled or not; null when there is none. Whether there still is the account is for the
   * caller to ask.
   *
   * @throws DestinationUnreadable
   */
  async get(accountId: string, id: string): Promise<Destination | null> {
    const row = await this.#em().findOne(DestinationEntity, { id, account_id: accountId });
    return row && toDestination(row, this.#readable(row));
  }

  /** Makes a destination; `too_many` when the account has `maxDestinations` already. */
  create(
    accountId: string,
    input: NewDestination,
    alongside?: (sql: Sql, destination: Destination) => Promise<void>,
  ): Promise<DestinationCreated> {
    return inEntityTransaction(this.#em(), async (tx, sql): Promise<DestinationCreated> => {
      if (!(await lockAccount(tx, accountId))) return { ok: false, reason: 'account_not_found' };
      if ((await tx.count(DestinationEntity, { account_id: accountId })) >= maxDestinations)
        return { ok: false, reason: 'too_many' };
      const id = uuidv7();
      const now = new Date();
      const checked = checkSettings(input.destination_type, withoutEmpty(input.config));
      if (!checked.ok) throw new Error('a destination that was not checked');
      const row = tx.create(DestinationEntity, {
        id,
        account_id: accountId,
        destination_type: input.destination_type,
        name: input.name,
        config: sealSettings(this.#box, { account_id: accountId, id }, checked.settings),
        condition: input.condition ?? null,
        enabled: input.enabled ?? true,
        position: input.position ?? 0,
        created_at: now,
        updated_at: now,
      });
      await tx.persist(row).flush();
      const destination = toDestination(row, checked.settings);
      await alongside?.(sql, destination);
      return { ok: true, destination };
    });
  }

  /**
   * Changes only what `change` holds; the config is merged field by field and null removes an optional one. With another
   * `destination_type` the config has to be whole. What does not fit the type is `invalid`, with the fields.
   *
   * `alongside` is told which fields the change held, those of the config as `config.url`.
   *
   * @throws DestinationUnreadable when the stored config is needed
   */
  update(
    accountId: string,
    id: string,
    change: DestinationChange,
    alongside?: (sql: Sql, destination: Destination, changed: string[]) => Promise<void>,
  ): Promise<DestinationUpdated> {
    return inEntityTransaction(this.#em(), async (tx, sql): Promise<DestinationUpdated> => {
      const row = await findLocked(tx, accountId, id);
      if (!row) return { ok: false, reason: 'not_found' };
      const { destination_type, config, ...plain } = change;
      const stored = config ? openSettings(this.#box, row) : this.#readable(row);
      const changed = changedSettings(
        { destination_type: row.destination_type, config: stored?.config ?? {} },
        { destination_type, config },
      );
      if (!changed.ok) return { ok: false, reason: 'invalid', errors: changed.errors };
      const { settings } = changed;
      tx.assign(
        row,
        { ...plain, destination_type: settings.destination_type, updated_at: new Date() },
        { ignoreUndefined: true },
      );
      if (config) row.config = sealSettings(this.#box, row, settings);
      await tx.flush();
      const destination = toDestination(row, settings);
      await alongside?.(sql, destination, fieldNames(change));
      return { ok: true, destination };
    });
  }

  /** Whether there was such a destination. Its config is not looked at, so one that cannot be read goes, too. */
  delete(
    accountId: string,
    id: string,
    alongside?: (sql: Sql, destination: DestinationHead) => Promise<void>,
  ): Promise<boolean> {
    return inEntityTransaction(this.#em(), async (tx, sql) => {
      const row = await findLocked(tx, accountId, id);
      if (!row) return false;
      const head = toHead(row);
      await tx.remove(row).flush();
      await alongside?.(sql, head);
      return true;
    });
  }

  #readable(row: DestinationRow): DestinationSettings {
    const settings = openSettings(this.#box, row);
    if (!settings) throw new DestinationUnreadable(row.id);
    return settings;
  }
}

/** Whether there is such an account, which then stays as it is until the transaction ends. */
async function lockAccount(tx: EntityManager, id: string): Promise<boolean> {
  const options = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  return (await tx.findOne(AccountEntity, { id, deleted_at: null }, options)) !== null;
}

async function findLocked(tx: EntityManager, accountId: string, id: string): Promise<DestinationRow | null> {
  if (!(await lockAccount(tx, accountId))) return null;
  // Read after the lock was given, so it is what the writer before left.
  return tx.findOne(DestinationEntity, { id, account_id: accountId });
}

function toHead(row: DestinationRow): DestinationHead {
  const { id, account_id, destination_type, name, condition, enabled, position, created_at, updated_at } = row;
  return {
    ...{ id, account_id, destination_type, name, enabled, position, created_at, updated_at },
    condition: condition ?? null,
  };
}

const toDestination = (row: DestinationRow, settings: DestinationSettings): Destination => ({
  ...toHead(row),
  ...settings,
});

/** The names of the fields that a change holds. */
function fieldNames({ config, ...plain }: DestinationChange): string[] {
  const held = (fields: object) =>
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [...held(plain), ...held(config ?? {}).map((name) => `config.${name}`)];
}
