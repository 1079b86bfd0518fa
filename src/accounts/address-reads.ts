import { Batcher } from '../database/batcher.ts';
import type { Sql } from '../database/sql.ts';

/** The columns of an account that ingestion reads. Secrets and `provider_config` are encrypted. */
export interface AddressRow {
  id: string;
  provider: string;
  account_slug: string;
  app_key: string;
  enabled: boolean;
  skip_signature_verification: boolean;
  signing_secret_current: Buffer | null;
  /** Null also when its end has come. */
  signing_secret_previous: Buffer | null;
  provider_config: Buffer | null;
  /** Whether it has an address of its own for deliveries. */
  has_address: boolean;
  consumers_revision: number;
  /** Those that have rows, `default` first; null: there are none, so `default` is the only one and has no settings. */
  consumers: ConsumerSettings[] | null;
}

/** What decides whether a consumer gets a webhook. */
export interface ConsumerSettings {
  /** Null: `default`. */
  id: string | null;
  name: string;
  enabled: boolean;
  condition: string | null;
}

/** The account of an address, or null. `read` numbers the reads: one that began later has a higher number. */
export interface AddressRead {
  row: AddressRow | null;
  read: number;
}

/** The name of the statement that reads accounts, for the span of a webhook that has waited for it. */
export const readAccountName = 'accounts_by_address';

// `limit 1` keeps the planner from turning the subquery into a join, which might scan all accounts first.
const findAccounts = {
  name: readAccountName,
  text: `select i.place::integer, a.*
         from unnest($1::text[], $2::text[]) with ordinality as i (provider, slug, place), lateral (
           select id, provider, account_slug, app_key, enabled, skip_signature_verification,
             signing_secret_current, provider_config,
             case when signing_secret_previous_expires_at <= now() then null else signing_secret_previous end as signing_secret_previous,
             coalesce(delivery_url, project_delivery_url) is not null as has_address, consumers_revision, (
               select json_agg(json_build_object('id', nullif(c.id, c.account_id), 'name', c.name, 'enabled', c.enabled, 'condition', c.condition)
                 order by c.id <> c.account_id, c.created_at, c.id)
               from consumers c where c.account_id = accounts.id and c.deleted_at is null
             ) as consumers
           from accounts where provider = i.provider and account_slug = i.slug and deleted_at is null limit 1
         ) a`,
};

/**
 * A statement with this many addresses takes a few milliseconds. 10,000 lookups per second need a few dozen of them.
 */
const maxBatch = 512;
/** Two, so that one statement can be sent while the other one is executed. */
const maxRunning = 2;

/**
 * Reads accounts by their addresses (`provider/slug`), with one statement for all waiting addresses. A read never
 * begins before its call, so it includes every change that was committed before the call.
 */
export class AddressReads {
  readonly #batcher: Batcher<string, AddressRead>;
  readonly #waiting = new Map<string, Promise<AddressRead>>();

  /**
   * @param options.maxWaiting the most addresses that may wait.
   * @param options.nextRead numbers the reads.
   */
  constructor({ sql, maxWaiting, nextRead }: { sql: Sql; maxWaiting: number; nextRead: () => number }) {
    const run = async (addresses: string[]): Promise<AddressRead[]> => {
      // The read begins now, so later calls for these addresses need another one.
      for (const address of addresses) this.#waiting.delete(address);
      const read = nextRead();
      const slashes = addresses.map((address) => address.indexOf('/'));
      const rows = await sql.query<AddressRow & { place: number }>(findAccounts, [
        addresses.map((address, n) => address.slice(0, slashes[n])),
        addresses.map((address, n) => address.slice((slashes[n] ?? 0) + 1)),
      ]);
      const byPlace = new Map(rows.map((row) => [row.place, row]));
      return addresses.map((_, n) => ({ row: byPlace.get(n + 1) ?? null, read }));
    };
    this.#batcher = new Batcher(run, { maxBatch, maxRunning, maxWaiting });
  }

  /** Reads one address. @throws BatcherFull when too many wait; otherwise the database's error. */
  read(address: string): Promise<AddressRead> {
    const waiting = this.#waiting.get(address);
    if (waiting) return waiting;
    const read = this.#batcher.add(address);
    this.#waiting.set(address, read);
    // A read that the batcher refused never runs, so it is removed here.
    read.catch(() => {
      if (this.#waiting.get(address) === read) this.#waiting.delete(address);
    });
    return read;
  }
}
