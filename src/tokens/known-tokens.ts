import type { Sql } from '../database/sql.ts';
import { type AdminToken, type TokenHolder, tokenChecker } from '../http/admin/auth.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import { hashOf, isStoredForm } from './stored-token.ts';
import { markTokensUsed, readTokensInForce, type TokenInForce, usedForMs } from './token-rows.ts';

/**
 * Half of the second within which every process refuses a revoked token. The statement is prepared, and reads an index that
 * has only the tokens in force. While the database is unavailable, it is tried every five seconds.
 */
const pollMs = 500;

/** A stored token with the time of its end. */
interface Known {
  holder: TokenHolder;
  expiresAtMs: number;
  lastUsedAtMs: number;
}

/**
 * The valid admin tokens of a process: those of its configuration, and the stored ones, which it keeps in memory. So a wrong
 * token causes no statement. While the database is unavailable, the stored tokens stay as they were read last.
 */
export class KnownTokens {
  readonly #sql: Sql;
  readonly #configured: readonly AdminToken[];
  readonly #configuredHolder: (given: string | null) => TokenHolder | null;
  readonly #poller: Poller;
  #stored: ReadonlyMap<string, Known> = new Map();
  #loads = 0;
  #applied = 0;
  #used = new Set<string>();

  constructor(options: { configured: readonly AdminToken[]; sql: Sql; log: Log }) {
    this.#sql = options.sql;
    this.#configured = options.configured;
    this.#configuredHolder = tokenChecker(options.configured);
    this.#poller = new Poller({
      ...{ name: 'admin tokens', idleMs: pollMs, log: options.log },
      work: async () => {
        await this.reload();
        await this.#recordUses();
        return 'idle';
      },
    });
  }

  /** Reads the stored tokens, and again every half second. @throws the database's error of the first read */
  async start(): Promise<void> {
    await this.reload();
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  /** The holder of a valid token, or null. */
  holderOf(given: string | null): TokenHolder | null {
    if (given === null) return null;
    const configured = this.#configuredHolder(given);
    if (configured !== null || !isStoredForm(given)) return configured;
    // The hash of 256 random bits: how long a comparison takes says nothing about any token.
    const known = this.#stored.get(hashOf(given));
    const nowMs = Date.now();
    if (!known || known.expiresAtMs <= nowMs) return null;
    if (known.holder.id !== undefined && known.lastUsedAtMs + usedForMs <= nowMs) this.#used.add(known.holder.id);
    return known.holder;
  }

  /** Whether the token of a holder is still valid. */
  isInForce({ id }: TokenHolder): boolean {
    if (id === undefined) return true;
    const nowMs = Date.now();
    return [...this.#stored.values()].some(({ holder, expiresAtMs }) => holder.id === id && expiresAtMs > nowMs);
  }

  /** Whether a token of the configuration has this name. */
  hasConfigured(name: string): boolean {
    return this.#configured.some((token) => token.name === name);
  }

  /** Reads the stored tokens now. */
  async reload(): Promise<void> {
    this.#loads += 1;
    const load = this.#loads;
    const rows = await readTokensInForce(this.#sql);
    // A read that began later may have ended earlier.
    if (load < this.#applied) return;
    this.#applied = load;
    this.#stored = new Map(rows.map((row) => [row.hash, known(row)]));
  }

  async #recordUses(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = [...this.#used];
    this.#used = new Set();
    await markTokensUsed(this.#sql, used);
  }
}

function known({ id, name, role, app_key, account_id, expires_at, last_used_at }: TokenInForce): Known {
  const scope = account_id !== null ? { account_id } : app_key !== null ? { app_key } : null;
  return {
    holder: { id, name, role, ...(scope ? { scope } : {}) },
    expiresAtMs: expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    lastUsedAtMs: last_used_at?.getTime() ?? Number.NEGATIVE_INFINITY,
  };
}
