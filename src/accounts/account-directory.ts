import { LRUCache } from 'lru-cache';
import type { Sql } from '../database/database.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
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

const findAccount = {
  name: 'account_by_address',
  text: `select id, provider, account_slug, app_key, enabled, skip_signature_verification,
           signing_secret_current, signing_secret_previous, provider_config
         from accounts where provider = $1 and account_slug = $2 and deleted_at is null`,
};

interface Row {
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

/** How long an account is answered from memory. A refusal is never given from it alone: see `fresh`. */
const cacheMs = 2_000;
const cachedAccounts = 10_000;

/** Whatever else stands in a path is no account, and is not worth a query. */
const possibleSlug = /^[A-Za-z0-9._~-]{1,100}$/;

interface Found {
  account: InboundAccount | null;
}

/** Accounts by their ingestion address, cached for moments: one read a second serves thousands of webhooks. */
export class AccountDirectory {
  readonly #read: (key: string) => Promise<Found>;
  readonly #cache: LRUCache<string, Found>;
  readonly #running = new Map<string, Promise<Found>>();
  readonly #next = new Map<string, Promise<Found>>();

  constructor(options: { sql: Sql; box: SecretBox; readConfig: ReadConfig }) {
    const { sql, box, readConfig } = options;
    this.#read = async (key) => {
      const slash = key.indexOf('/');
      const [row] = await sql.query<Row>(findAccount, [key.slice(0, slash), key.slice(slash + 1)]);
      return { account: row ? toAccount(row, box, readConfig) : null };
    };
    this.#cache = new LRUCache({
      max: cachedAccounts,
      ttl: cacheMs,
      ignoreFetchAbort: true,
      fetchMethod: this.#read,
    });
  }

  /** The account of `/{provider}/{slug}`, at most two seconds old; null when there is none. Throws what the database throws. */
  async get(provider: string, slug: string): Promise<InboundAccount | null> {
    if (!possibleSlug.test(slug)) return null;
    const key = `${provider}/${slug}`;
    const cached = this.#cache.get(key) ?? (await this.#cache.fetch(key));
    return cached?.account ?? null;
  }

  /**
   * Reads the database again, as is due before a webhook is refused. Concurrent calls share a read, but never one that
   * began before the call: it may have missed the change that the caller knows of.
   */
  async fresh(provider: string, slug: string): Promise<InboundAccount | null> {
    if (!possibleSlug.test(slug)) return null;
    const key = `${provider}/${slug}`;
    const running = this.#running.get(key);
    const read = running ? (this.#next.get(key) ?? this.#readAfter(running, key)) : this.#readNow(key);
    return (await read).account;
  }

  #readNow(key: string): Promise<Found> {
    const read = this.#read(key)
      .then((found) => {
        this.#cache.set(key, found);
        return found;
      })
      .finally(() => {
        if (this.#running.get(key) === read) this.#running.delete(key);
      });
    this.#running.set(key, read);
    return read;
  }

  #readAfter(running: Promise<Found>, key: string): Promise<Found> {
    const begin = () => {
      this.#next.delete(key);
      return this.#readNow(key);
    };
    const read = running.then(begin, begin);
    this.#next.set(key, read);
    return read;
  }
}

function toAccount(row: Row, box: SecretBox, readConfig: ReadConfig): InboundAccount {
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
