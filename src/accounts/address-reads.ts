import { Batcher } from '../database/batcher.ts';
import type { Sql } from '../database/sql.ts';

/** What ingestion reads of an account. Secrets and `provider_config` are sealed. */
export interface AddressRow {
  id: string;
  provider: string;
  account_slug: string;
  app_key: string;
  enabled: boolean;
  skip_signature_verification: boolean;
  signing_secret_current: Buffer | null;
  signing_secret_previous: Buffer | null;
  provider_config: Buffer | null;
}

/** The account of an address, null where there is none. Of two reads, the one that began later has the higher number. */
export interface AddressRead {
  row: AddressRow | null;
  read: number;
}

// The limit keeps the planner from turning the subquery into a join, which it might begin with all accounts.
const findAccounts = {
  name: 'accounts_by_address',
  text: `select i.place::integer, a.*
         from unnest($1::text[], $2::text[]) with ordinality as i (provider, slug, place), lateral (
           select id, provider, account_slug, app_key, enabled, skip_signature_verification,
             signing_secret_current, signing_secret_previous, provider_config
           from accounts where provider = i.provider and account_slug = i.slug and deleted_at is null limit 1
         ) a`,
};

/** A statement of so many takes some milliseconds, so that a flood's ten thousand a second need but a few dozen. */
const maxBatch = 512;
/** One is sent while another is answered. */
const maxRunning = 2;

/**
 * Reads accounts by their addresses (`provider/slug`), those that wait together in one statement. A read never begins before it
 * was asked for, so that it shows every change that its caller may know of.
 */
export class AddressReads {
  readonly #batcher: Batcher<string, AddressRead>;
  readonly #waiting = new Map<string, Promise<AddressRead>>();

  /**
   * @param options.maxWaiting addresses that may wait.
   * @param options.nextRead numbers the reads.
   */
  constructor({ sql, maxWaiting, nextRead }: { sql: Sql; maxWaiting: number; nextRead: () => number }) {
    const run = async (addresses: string[]): Promise<AddressRead[]> => {
      // From here on, whoever asks for one of them needs another read.
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

  /**
   * @throws BatcherFull when too many wait; else what the database throws.
   */
  read(address: string): Promise<AddressRead> {
    const waiting = this.#waiting.get(address);
    if (waiting) return waiting;
    const read = this.#batcher.add(address);
    this.#waiting.set(address, read);
    // One that was not let in is not run, either.
    read.catch(() => {
      if (this.#waiting.get(address) === read) this.#waiting.delete(address);
    });
    return read;
  }
}
