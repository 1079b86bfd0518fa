import type { Sql } from '../database/sql.ts';
import type { AuditAction } from '../http/admin/actions.ts';
import { type AdminToken, tokenChecker } from '../http/admin/auth.ts';
import { clientAddresses } from '../http/admin/client-address.ts';
import type { SlowAnswers } from '../http/admin/slow-answers.ts';
import { WrongTokens } from '../http/admin/wrong-tokens.ts';
import { nodeRequest } from '../http/node-request.ts';
import { Problem } from '../http/problem.ts';
import type { Log } from '../shared/log.ts';
import type { AuditEntry } from './entry.ts';

type Details = AuditEntry['details'];

/** What admin calls need of the audit log. */
export interface AuditWriter {
  write(sql: Sql, entry: AuditEntry): Promise<void>;
  append(entry: AuditEntry): Promise<void>;
}

/** Who makes a request, and what will be written down about it. */
export interface AdminCall {
  actor: string;
  ipAddress: string;
  /** Adds to what the entry tells, as JSON has it. Never a secret, never a payload. */
  note(details: Record<string, unknown>): void;
  /** Writes the entry inside the transaction that makes the change, so that both commit or neither does. */
  record(sql: Sql, action: AuditAction, details: Details): Promise<void>;
  /** Says that whatever did the work wrote the entry. */
  recordedElsewhere(): void;
}

class Call implements AdminCall {
  readonly actor: string;
  readonly ipAddress: string;
  readonly #audit: AuditWriter;
  #details: Details;
  recorded = false;

  constructor(who: { actor: string; ipAddress: string }, ids: Record<string, string>, audit: AuditWriter) {
    this.actor = who.actor;
    this.ipAddress = who.ipAddress;
    this.#details = { ...ids };
    this.#audit = audit;
  }

  note(details: Record<string, unknown>): void {
    const json: Details = JSON.parse(JSON.stringify(details));
    this.#details = { ...this.#details, ...json };
  }

  async record(sql: Sql, action: AuditAction, details: Details): Promise<void> {
    await this.#audit.write(sql, this.#entry(action, details));
    // When the transaction fails after all, the failure is what there is to tell: see `finish`.
    this.recorded = true;
  }

  recordedElsewhere(): void {
    this.recorded = true;
  }

  async finish(action: AuditAction, details: Details): Promise<void> {
    await this.#audit.append(this.#entry(action, details));
    this.recorded = true;
  }

  #entry(action: AuditAction, details: Details): AuditEntry {
    return { actor: this.actor, ipAddress: this.ipAddress, action, details: { ...details, ...this.#details } };
  }
}

/** Authorizes admin requests and sees to it that each leaves one audit entry. */
export class AdminCalls {
  readonly #audit: AuditWriter;
  readonly #log: Log;
  readonly #tokenName: (given: string | null) => string | null;
  readonly #address: ReturnType<typeof clientAddresses>;
  readonly #wrongTokens = new WrongTokens();
  readonly #slowAnswers: SlowAnswers;
  readonly #calls = new WeakMap<Request, Call>();

  constructor(options: {
    audit: AuditWriter;
    slowAnswers: SlowAnswers;
    tokens: readonly AdminToken[];
    trustedProxies: readonly string[];
    log: Log;
  }) {
    this.#audit = options.audit;
    this.#log = options.log;
    this.#slowAnswers = options.slowAnswers;
    this.#tokenName = tokenChecker(options.tokens);
    this.#address = clientAddresses(options.trustedProxies);
  }

  /**
   * Lets a request with a valid token pass; asking again about the same request is free.
   *
   * @param ids the ids in its path: every entry names them, also that of a request whose body nobody could read.
   * @throws Problem `unauthorized`, or `rate_limited` after ten wrong tokens in a minute from one address, up to two seconds
   *   later, so that guessing on takes time.
   */
  async authorize(request: Request, route: string, ids: Record<string, string> = {}): Promise<void> {
    if (this.#calls.has(request)) return;
    const node = nodeRequest(request);
    const ipAddress = this.#address(node);
    const name = this.#tokenName(request.headers.get('x-admin-token'));
    if (name !== null) {
      this.#calls.set(request, new Call({ actor: name, ipAddress }, ids, this.#audit));
      return;
    }
    const { excess, retryAfterS } = this.#wrongTokens.add(ipAddress);
    const status = excess > 0 ? 429 : 401;
    // One audit entry per flood, so that a flood cannot fill the disk.
    if (excess <= 1) await this.#deny({ actor: ipAddress, ipAddress }, { method: request.method, route, status });
    if (excess === 0) throw new Problem('unauthorized', 'the header X-Admin-Token holds no valid admin token');
    await this.#slowAnswers.wait(node, excess);
    throw new Problem('rate_limited', `wait ${retryAfterS} seconds, or use a valid token`, {
      headers: { 'retry-after': String(retryAfterS) },
    });
  }

  /** The call of a request that was authorized. */
  of(request: Request): AdminCall {
    const call = this.#calls.get(request);
    if (!call) throw new Error('the request was not authorized');
    return call;
  }

  /** Writes what was not written with a change. @throws what the database throws: nobody reads what is not on record */
  async succeeded(request: Request, action: AuditAction, details: Details): Promise<void> {
    const call = this.#calls.get(request);
    if (call && !call.recorded) await call.finish(action, details);
  }

  /** Writes down that a call failed. The answer is the failure, whether or not it could be written down. */
  async failed(request: Request, action: AuditAction, details: Details): Promise<void> {
    const call = this.#calls.get(request);
    // Who was denied has none, and an entry of that kind.
    if (!call) return;
    try {
      await call.finish(action, details);
    } catch (error) {
      this.#log.warn({ err: error, action }, 'a failed admin call could not be written to the audit log');
    }
  }

  async #deny(who: { actor: string; ipAddress: string }, details: Details): Promise<void> {
    try {
      await this.#audit.append({ ...who, action: 'auth.denied', details });
    } catch (error) {
      this.#log.warn({ err: error }, 'a denied admin call could not be written to the audit log');
    }
  }
}
