import { LRUCache } from 'lru-cache';
import { BatcherFull } from '../database/batcher.ts';
import type { Sql } from '../database/sql.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { type AddressRead, AddressReads, type AddressRow, type ConsumerSettings } from './address-reads.ts';
import { openConfig } from './provider-settings.ts';
import { type SecretTags, secretTag } from './secret-uses.ts';

/** The part of an account that ingestion needs. */
export interface InboundAccount {
  id: string;
  provider: string;
  accountSlug: string;
  appKey: string;
  enabled: boolean;
  skipSignatureVerification: boolean;
  secrets: { current: string | null; previous: string | null };
  /** What identifies them when their uses are counted. */
  secretTags: SecretTags;
  /** `provider_config` parsed by the provider's schema, with defaults; null when it does not match the schema. */
  config: object | null;
  /** Whether a stored secret or `provider_config` could not be decrypted; it is null here. */
  unreadable: boolean;
  /** Those that can get webhooks. */
  consumers: readonly ConsumerSettings[];
  /** `accounts.consumers_revision` when they were read. */
  consumersRevision: number;
}

/** Parses a stored `provider_config`; null when it does not match the provider's schema. */
export type ReadConfig = (provider: string, stored: unknown) => object | null;

/** How long an account is served from the cache. A webhook is never refused based on the cache alone: see `fresh`. */
const cacheMs = 2_000;
const cachedAccounts = 10_000;

/**
 * Remembered addresses of existing accounts, about 100 bytes each. Unknown addresses are not remembered, so that a
 * flood of them cannot evict the others.
 */
const knownAddresses = 100_000;

/** The same as the limit of webhooks that wait to be stored. More means that PostgreSQL is overloaded. */
const maxWaiting = 10_000;

/** Waiting lookups of unknown addresses for one client: far more than a sender with new accounts needs at a time. */
const maxWaitingOfClient = 1_000;

/** Other texts cannot be an account's slug, so they need no query. */
const possibleSlug = /^[A-Za-z0-9._~-]{1,100}$/;

/** The result of a lookup. If not `fresh`, the account comes from the cache and may be two seconds old. */
export interface Lookup {
  account: InboundAccount | null;
  fresh: boolean;
  /** The time until which the result may be used, in milliseconds of `performance.now()`. */
  untilMs: number;
}

interface Cached {
  account: InboundAccount;
  read: number;
  untilMs: number;
}

/**
 * Finds accounts by their ingestion address. Accounts are cached for two seconds, so one read serves thousands of
 * webhooks. Unknown addresses are read over separate connections: a flood of made-up addresses cannot delay the reads
 * of known accounts.
 */
export class AccountDirectory {
  readonly #open: (row: AddressRow) => InboundAccount;
  readonly #cache = new LRUCache<string, Cached>({ max: cachedAccounts, ttl: cacheMs });
  readonly #known = new LRUCache<string, true>({ max: knownAddresses });
  readonly #knownReads: AddressReads;
  readonly #unknownReads: AddressReads;
  readonly #waitingOf = new Map<string, number>();

  /**
   * @param options.sql for addresses of known accounts.
   * @param options.strangers for unknown addresses.
   */
  constructor(options: { sql: Sql; strangers: Sql; box: SecretBox; readConfig: ReadConfig }) {
    const { sql, strangers, box, readConfig } = options;
    this.#open = (row) => toAccount(row, box, readConfig);
    let reads = 0;
    const nextRead = () => ++reads;
    this.#knownReads = new AddressReads({ sql, maxWaiting, nextRead });
    this.#unknownReads = new AddressReads({ sql: strangers, maxWaiting, nextRead });
  }

  /**
   * The account of `/{provider}/{slug}`, at most two seconds old. A missing account (null) is never from the cache.
   *
   * @param client returns the key of the client whose share of the queue is used if the address is unknown.
   * @throws BatcherFull when too many lookups wait; otherwise the database's error.
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
   * Reads the account from the database, as required before a webhook is refused. Concurrent calls share a read, but
   * never one that began before the call, because that read may have missed a recent change.
   *
   * @throws the same errors as `lookup`.
   */
  async fresh(provider: string, slug: string, client: () => string): Promise<InboundAccount | null> {
    return possibleSlug.test(slug) ? this.#read(`${provider}/${slug}`, client) : null;
  }

  async #read(address: string, client: () => string): Promise<InboundAccount | null> {
    const found = this.#known.has(address)
      ? await this.#knownReads.read(address)
      : await this.#withinShare(client(), () => this.#unknownReads.read(address));
    return this.#remember(address, found);
  }

  async #withinShare<T>(client: string, read: () => Promise<T>): Promise<T> {
    const waiting = this.#waitingOf.get(client) ?? 0;
    if (waiting >= maxWaitingOfClient) throw new BatcherFull('too many address lookups of one client are waiting');
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
    // Every caller that shared the read gets here. Only the first one decrypts the secrets.
    if (row && cached?.read === read) return cached.account;
    const account = row && this.#open(row);
    // Overlapping reads may end in another order than they began in, so an older result must not replace a newer one.
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
  const secrets = { current: open('signing_secret_current'), previous: open('signing_secret_previous') };
  const config = openConfig(box, { id: row.id, provider_config: row.provider_config });
  return {
    id: row.id,
    provider: row.provider,
    accountSlug: row.account_slug,
    appKey: row.app_key,
    enabled: row.enabled,
    skipSignatureVerification: row.skip_signature_verification,
    secrets,
    secretTags: { current: secretTag(row.signing_secret_current), previous: secretTag(row.signing_secret_previous) },
    config: readConfig(row.provider, config),
    unreadable:
      config === null ||
      (secrets.current === null && row.signing_secret_current !== null) ||
      (secrets.previous === null && row.signing_secret_previous !== null),
    consumers: consumersOf(row),
    consumersRevision: row.consumers_revision,
  };
}

const onlyDefault: readonly ConsumerSettings[] = [{ id: null, name: 'default', enabled: true, condition: null }];

/** Without an address, `default` gets webhooks only if it is alone: then they fail as `no_delivery_url`. */
function consumersOf({ consumers, has_address: hasAddress }: AddressRow): readonly ConsumerSettings[] {
  if (consumers === null) return onlyDefault;
  const others = consumers.filter(({ id }) => id !== null);
  const own = consumers.filter(({ id }) => id === null);
  if (!hasAddress && others.length > 0) return others;
  return [...(own.length > 0 ? own : onlyDefault), ...others];
}
