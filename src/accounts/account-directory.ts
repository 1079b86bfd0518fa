import { LRUCache } from 'lru-cache';
import { BatcherFull } from '../database/batcher.ts';
import type { Sql } from '../database/sql.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { type AddressRead, AddressReads, type AddressRow } from './address-reads.ts';
import { openConfig } from './provider-settings.ts';

/** What ingestion needs of an account. */
export interface InboundAccount {
  id: string;
  provider: string;
  accountSlug: string;
  appKey: string;
  enabled: boolean;
  skipSignatureVerification: boolean;
  secrets: { current: string | null; previous: string | null };
  /** `provider_config` as the provider reads it, its defaults filled in; null when it is none of this provider's. */
  config: object | null;
}

/** Reads a stored `provider_config`; null when it does not fit the provider. */
export type ReadConfig = (provider: string, stored: unknown) => object | null;

/** How long an account is answered from memory. A refusal is never given from it alone: see `fresh`. */
const cacheMs = 2_000;
const cachedAccounts = 10_000;

/**
 * Addresses that are remembered as those of accounts, some 100 bytes each. Only accounts get in, so that no flood of other
 * addresses pushes them out.
 */
const knownAddresses = 100_000;

/** As many as webhooks may wait to be stored: more means that PostgreSQL does not keep up. */
const maxWaiting = 10_000;

/** Addresses that were never seen and wait for one client: far more than a sender with new accounts asks for at a time. */
const maxWaitingOfClient = 1_000;

/** Text that is no slug has no account, and is not worth a query. */
const possibleSlug = /^[A-Za-z0-9._~-]{1,100}$/;

/** An account, and whether it was read after the call: one that was not may be two seconds old. */
export interface Lookup {
  account: InboundAccount | null;
  fresh: boolean;
  /** Until when it may be gone by, in milliseconds of `performance.now()`. */
  untilMs: number;
}

interface Cached {
  account: InboundAccount;
  read: number;
  untilMs: number;
}

/**
 * Accounts by their ingestion address. Those of webhooks that come often are cached for moments: one read a second serves
 * thousands. An address that was never that of an account is read over connections of its own, so that a flood of made-up
 * addresses takes none from accounts: neither from those in the cache, nor from those whose entry has expired.
 */
export class AccountDirectory {
  readonly #open: (row: AddressRow) => InboundAccount;
  readonly #cache = new LRUCache<string, Cached>({ max: cachedAccounts, ttl: cacheMs });
  readonly #known = new LRUCache<string, true>({ max: knownAddresses });
  readonly #ofKnown: AddressReads;
  readonly #ofOthers: AddressReads;
  readonly #waitingOf = new Map<string, number>();

  /**
   * @param options.sql reads addresses of accounts.
   * @param options.strangers reads addresses that were never seen.
   */
  constructor(options: { sql: Sql; strangers: Sql; box: SecretBox; readConfig: ReadConfig }) {
    const { sql, strangers, box, readConfig } = options;
    this.#open = (row) => toAccount(row, box, readConfig);
    let reads = 0;
    const nextRead = () => ++reads;
    this.#ofKnown = new AddressReads({ sql, maxWaiting, nextRead });
    this.#ofOthers = new AddressReads({ sql: strangers, maxWaiting, nextRead });
  }

  /**
   * The account of `/{provider}/{slug}`, at most two seconds old; null when there is none, which is always fresh.
   *
   * @param client whose share of the queue it takes while the address is not known.
   * @throws BatcherFull when too many addresses wait; else what the database throws.
   */
  async lookup(provider: string, slug: string, client: () => string): Promise<Lookup> {
    const untilMs = performance.now() + cacheMs;
    if (!possibleSlug.test(slug)) return { account: null, fresh: true, untilMs };
    const address = `${provider}/${slug}`;
    const cached = this.#cache.get(address);
    if (cached) return { account: cached.account, fresh: false, untilMs: cached.untilMs };
    return { account: await this.#read(address, client), fresh: true, untilMs };
  }

  /**
   * Reads the database, as is due before a webhook is refused for what `lookup` had in its cache. Concurrent calls share a
   * read, but never one that began before the call: it may have missed the change that the caller knows of.
   *
   * @throws as `lookup` does.
   */
  async fresh(provider: string, slug: string, client: () => string): Promise<InboundAccount | null> {
    return possibleSlug.test(slug) ? this.#read(`${provider}/${slug}`, client) : null;
  }

  async #read(address: string, client: () => string): Promise<InboundAccount | null> {
    const found = this.#known.has(address)
      ? await this.#ofKnown.read(address)
      : await this.#withinShare(client(), () => this.#ofOthers.read(address));
    return this.#remember(address, found);
  }

  async #withinShare<T>(client: string, read: () => Promise<T>): Promise<T> {
    const waiting = this.#waitingOf.get(client) ?? 0;
    if (waiting >= maxWaitingOfClient) throw new BatcherFull('too many addresses of one client wait');
    this.#waitingOf.set(client, waiting + 1);
    try {
      return await read();
    } finally {
      const left = (this.#waitingOf.get(client) ?? 1) - 1;
      if (left === 0) this.#waitingOf.delete(client);
      else this.#waitingOf.set(client, left);
    }
  }

  #remember(address: string, { row, read }: AddressRead): InboundAccount | null {
    const cached = this.#cache.peek(address);
    // All who shared a read remember what it found; the first of them opens its secrets.
    if (row && cached?.read === read) return cached.account;
    const account = row && this.#open(row);
    // Reads that overlap may end in another order than they began in.
    if (cached && cached.read > read) return account;
    if (account) {
      this.#cache.set(address, { account, read, untilMs: performance.now() + cacheMs });
      this.#known.set(address, true);
    } else {
      this.#cache.delete(address);
      this.#known.delete(address);
    }
    return account;
  }
}

function toAccount(row: AddressRow, box: SecretBox, readConfig: ReadConfig): InboundAccount {
  const open = (field: 'signing_secret_current' | 'signing_secret_previous') => {
    const sealed = row[field];
    return sealed ? box.open(sealed, { accountId: row.id, field }) : null;
  };
  return {
    id: row.id,
    provider: row.provider,
    accountSlug: row.account_slug,
    appKey: row.app_key,
    enabled: row.enabled,
    skipSignatureVerification: row.skip_signature_verification,
    secrets: { current: open('signing_secret_current'), previous: open('signing_secret_previous') },
    config: readConfig(row.provider, openConfig(box, { id: row.id, provider_config: row.provider_config })),
  };
}
