import type { Sql } from '../database/sql.ts';
import type { AuditAction } from '../http/admin/actions.ts';
import type { TokenHolder } from '../http/admin/auth.ts';
import type { TokenRole } from '../http/admin/roles.ts';
import type { TokenScope } from '../http/admin/scope.ts';
import { Problem } from '../http/problem.ts';
import type { AuditWriter } from './audit-writer.ts';
import { type AuditEntry, shortened } from './entry.ts';
import type { FailedCalls } from './failed-calls.ts';
import type { RepeatedReads } from './repeated-reads.ts';

export type Details = AuditEntry['details'];

/** An admin request with its actor and the details of its audit entry. */
export interface AdminCall {
  /** The name of its token. */
  actor: string;
  /** The role of its token. */
  role: TokenRole;
  /** The scope of its token; null: it has none. */
  scope: TokenScope | null;
  /** The accounts within the scope, as they were when the call began; null: all. */
  accountIds: readonly string[] | null;
  ipAddress: string;
  /**
   * Checks that ids in the body or the query, by their names in paths (`event_id`), belong to accounts within the scope.
   *
   * @throws Problem `not_found`
   */
  requireWithin(ids: Record<string, string | undefined>): Promise<void>;
  /** Whether its token is still valid, for calls that last. */
  isInForce(): boolean;
  /** @throws Problem `unauthorized` if its token has ended since the call began */
  requireInForce(): void;
  /**
   * Adds details to the entry, as JSON. They must not contain secrets or payloads. `query`: the filters of the call, whose
   * texts are cut.
   */
  note(details: { query?: object; [name: string]: unknown }): void;
  /** Writes the entry in the transaction that makes the change, so that both commit together. */
  record(sql: Sql, action: AuditAction, details: Details): Promise<void>;
  /** Marks the entry as already written by the code that made the change. */
  recordedElsewhere(): void;
}

/** The tokens that a process knows. */
export interface AdminTokens {
  holderOf(given: string | null): TokenHolder | null;
  isInForce(holder: TokenHolder): boolean;
}

/** Finds what is within a scope. */
export interface ScopeReach {
  accountsOf(scope: TokenScope): Promise<string[]>;
  requireWithin(accountIds: readonly string[], ids: Record<string, string>): Promise<void>;
}

/** RFC 9110 requires a challenge with each 401. The scheme is our own, so that no browser asks for a password. */
export const unauthorized = (detail: string) =>
  new Problem('unauthorized', detail, {
    headers: { 'www-authenticate': 'AdminToken realm="admin API", header="X-Admin-Token"' },
  });

/** A call while it is answered: its audit entry is written once. */
export class Call implements AdminCall {
  readonly actor: string;
  readonly role: TokenRole;
  readonly scope: TokenScope | null;
  accountIds: readonly string[] | null;
  readonly ipAddress: string;
  readonly #holder: TokenHolder;
  readonly #tokens: AdminTokens;
  readonly #reach: ScopeReach;
  readonly #audit: AuditWriter;
  readonly #ids: Record<string, string>;
  #details: Details;
  recorded = false;

  constructor(
    holder: TokenHolder,
    ipAddress: string,
    ids: Record<string, string>,
    deps: { audit: AuditWriter; tokens: AdminTokens; reach: ScopeReach },
  ) {
    this.actor = holder.name;
    this.role = holder.role;
    this.scope = holder.scope ?? null;
    // Until `limit` has read them, none.
    this.accountIds = holder.scope ? [] : null;
    this.ipAddress = ipAddress;
    this.#holder = holder;
    this.#ids = ids;
    this.#details = { ...shortened(ids), ...(holder.scope ? { token_scope: { ...holder.scope } } : {}) };
    this.#audit = deps.audit;
    this.#tokens = deps.tokens;
    this.#reach = deps.reach;
  }

  async requireWithin(ids: Record<string, string | undefined>): Promise<void> {
    if (this.accountIds === null) return;
    const given = Object.entries(ids).flatMap(([name, id]) => (id === undefined ? [] : [[name, id] as const]));
    await this.#reach.requireWithin(this.accountIds, Object.fromEntries(given));
  }

  isInForce(): boolean {
    return this.#tokens.isInForce(this.#holder);
  }

  requireInForce(): void {
    if (!this.isInForce()) throw unauthorized('the admin token was revoked or has expired');
  }

  /** Reads which accounts are within the scope. @throws Problem `not_found` for an id in the path that is not */
  async limit(): Promise<void> {
    if (this.scope === null) return;
    this.accountIds = await this.#reach.accountsOf(this.scope);
    await this.requireWithin(this.#ids);
  }

  note({ query, ...details }: { query?: object; [name: string]: unknown }): void {
    const json: Details = JSON.parse(JSON.stringify(details));
    this.#details = { ...this.#details, ...json, ...(query ? { query: shortened(query) } : {}) };
  }

  async record(sql: Sql, action: AuditAction, details: Details): Promise<void> {
    await this.#audit.write(sql, this.#entry(action, details));
    // If the transaction fails afterwards, `failed` writes another entry with the failure.
    this.recorded = true;
  }

  recordedElsewhere(): void {
    this.recorded = true;
  }

  async finish(action: AuditAction, details: Details): Promise<void> {
    await this.#audit.append(this.#entry(action, details));
    this.recorded = true;
  }

  async finishRead(reads: Pick<RepeatedReads, 'record'>, action: AuditAction, details: Details): Promise<void> {
    await reads.record(this.#entry(action, details), this.#ids);
    this.recorded = true;
  }

  async finishFailed(failed: Pick<FailedCalls, 'record'>, action: AuditAction, details: Details): Promise<void> {
    await failed.record(this.#entry(action, details));
    this.recorded = true;
  }

  #entry(action: AuditAction, details: Details): AuditEntry {
    return { actor: this.actor, ipAddress: this.ipAddress, action, details: { ...details, ...this.#details } };
  }
}
