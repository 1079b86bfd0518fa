import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AccountEntity } from '../../accounts/account-entity.ts';
import { lockAccount } from '../../accounts/account-store.ts';
import { comparedUrl, type SecretsByPath } from '../../accounts/compared-secrets.ts';
import type { Sql } from '../../database/sql.ts';
import { inEntityTransaction } from '../../database/transaction.ts';
import { SealedValueUnreadable } from '../../secrets/sealed-value-unreadable.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { FieldError } from '../../shared/plain-words.ts';
import { changedSettings, checkSettings, type DestinationSettings, withoutEmpty } from './destination-config.ts';
import { DestinationEntity, type DestinationRow } from './destination-entity.ts';
import { type DestinationKind, defaultKinds, knownKinds } from './destination-kinds.ts';
import type { DestinationChange, NewDestination } from './destination-rules.ts';
import { openSettings, sealSettings } from './sealed-settings.ts';

/** A destination with its decrypted config. Optional fields without a value are absent. */
export type Destination = Omit<DestinationRow, 'config' | 'condition' | 'kinds'> & {
  condition: string | null;
  kinds: DestinationKind[];
} & DestinationSettings;

export type DestinationCreated =
  | { ok: true; destination: Destination }
  | { ok: false; reason: 'account_not_found' | 'too_many' };

export type DestinationUpdated =
  | { ok: true; destination: Destination }
  | { ok: false; reason: 'not_found' }
  | { ok: false; reason: 'invalid'; errors: FieldError[] };

/** Far more than an account needs. Each destination can add a notification to every exhausted event. */
export const maxDestinations = 100;

/** A stored config cannot be decrypted with SECRETS_KEY, or is invalid. A PATCH with a complete config repairs it. */
export class DestinationUnreadable extends SealedValueUnreadable {
  override name = 'DestinationUnreadable';
  readonly destinationId: string;

  constructor(destinationId: string) {
    super(
      `the config of the destination ${destinationId} does not decrypt with SECRETS_KEY; send a complete new config`,
    );
    this.destinationId = destinationId;
  }
}

/**
 * Stores destinations. Each write locks the account first, which serializes the writes of an account: no update is
 * lost, the limit holds, and no destination is added to a deleted account. `alongside` runs in the same transaction;
 * when it throws, nothing is changed.
 */
export class DestinationStore {
  readonly #em: () => EntityManager;
  readonly #box: SecretBox;

  /** @param options.em returns a new fork for each call. */
  constructor(options: { em: () => EntityManager; box: SecretBox }) {
    this.#em = options.em;
    this.#box = options.box;
  }

  /**
   * Lists an account's destinations by position, then by age; null when there is no such account.
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
   * A destination of an account, enabled or not; null when there is none. Does not check whether the account was
   * deleted.
   *
   * @throws DestinationUnreadable
   */
  async get(accountId: string, id: string): Promise<Destination | null> {
    const row = await this.#em().findOne(DestinationEntity, { id, account_id: accountId });
    return row && toDestination(row, this.#readable(row));
  }

  /** The decrypted texts in the configs of an account's destinations, for a comparison; of readable ones. */
  async secretsOf(accountId: string): Promise<SecretsByPath> {
    const rows = await this.#em().find(DestinationEntity, { account_id: accountId });
    return new Map(
      rows.flatMap((row) =>
        Object.entries(openSettings(this.#box, row)?.config ?? {}).flatMap(([name, value]: [string, unknown]) =>
          typeof value === 'string'
            ? [[`destinations.${row.id}.${name}`, name === 'secret' ? value : comparedUrl(value)] as const]
            : [],
        ),
      ),
    );
  }

  /** Creates a destination; `too_many` when the account already has `maxDestinations`. */
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
      if (!checked.ok) throw new Error('the destination was not validated');
      const row = tx.create(DestinationEntity, {
        id,
        account_id: accountId,
        destination_type: input.destination_type,
        name: input.name,
        config: sealSettings(this.#box, { account_id: accountId, id }, checked.settings),
        condition: input.condition ?? null,
        kinds: [...(input.kinds ?? defaultKinds)],
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
   * Changes only the fields in `change`. The config is merged field by field; null removes an optional field. With
   * another `destination_type`, the config must be complete. Fields that do not match the type result in `invalid`.
   *
   * `alongside` gets the names of the changed fields; those of the config have the form `config.url`.
   *
   * @throws DestinationUnreadable when the stored config is needed but cannot be read
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

  /** Deletes a destination, even if its config cannot be read. Returns false when there is none. */
  delete(
    accountId: string,
    id: string,
    alongside?: (sql: Sql, gone: { name: string }) => Promise<void>,
  ): Promise<boolean> {
    return inEntityTransaction(this.#em(), async (tx, sql) => {
      const row = await findLocked(tx, accountId, id);
      if (!row) return false;
      const { name } = row;
      await tx.remove(row).flush();
      await alongside?.(sql, { name });
      return true;
    });
  }

  #readable(row: DestinationRow): DestinationSettings {
    const settings = openSettings(this.#box, row);
    if (!settings) throw new DestinationUnreadable(row.id);
    return settings;
  }
}

async function findLocked(tx: EntityManager, accountId: string, id: string): Promise<DestinationRow | null> {
  if (!(await lockAccount(tx, accountId))) return null;
  // Read after the lock was acquired, so that it includes the changes of earlier writers.
  return tx.findOne(DestinationEntity, { id, account_id: accountId });
}

function toDestination(row: DestinationRow, settings: DestinationSettings): Destination {
  const { id, account_id, name, condition, kinds, enabled, position, created_at, updated_at } = row;
  return {
    ...{ id, account_id, name, enabled, position, created_at, updated_at, condition: condition ?? null },
    kinds: knownKinds(kinds),
    ...settings,
  };
}

/** The names of the fields in a change. */
function fieldNames({ config, ...plain }: DestinationChange): string[] {
  const held = (fields: object) =>
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [...held(plain), ...held(config ?? {}).map((name) => `config.${name}`)];
}
