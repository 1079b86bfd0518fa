import type { Sql } from '../database/sql.ts';
import type { AuditAction } from '../http/admin/actions.ts';
import { type AdminToken, type TokenHolder, tokenChecker } from '../http/admin/auth.ts';
import { clientAddresses } from '../http/admin/client-address.ts';
import { isAllowed, type TokenRole } from '../http/admin/roles.ts';
import type { SlowAnswers } from '../http/admin/slow-answers.ts';
import { WrongTokens } from '../http/admin/wrong-tokens.ts';
import { nodeRequest } from '../http/node-request.ts';
import type { AdminOperation } from '../http/operation.ts';
import { Problem, problems } from '../http/problem.ts';
import type { Log } from '../shared/log.ts';
import type { AuditWriter } from './audit-writer.ts';
import type { DeniedCalls } from './denied/denied-calls.ts';
import type { AuditEntry } from './entry.ts';

type Details = AuditEntry['details'];

/** An admin request with its actor and the details of its audit entry. */
export interface AdminCall {
  /** The name of its token. */
  actor: string;
  /** The role of its token. */
  role: TokenRole;
  ipAddress: string;
  /** Adds details to the entry, as JSON. They must not contain secrets or payloads. */
  note(details: Record<string, unknown>): void;
  /** Writes the entry in the transaction that makes the change, so that both commit together. */
  record(sql: Sql, action: AuditAction, details: Details): Promise<void>;
  /** Marks the entry as already written by the code that made the change. */
  recordedElsewhere(): void;
}

class Call implements AdminCall {
  readonly actor: string;
  readonly role: TokenRole;
  readonly ipAddress: string;
  readonly #audit: AuditWriter;
  #details: Details;
  recorded = false;

  constructor(holder: TokenHolder, ipAddress: string, ids: Record<string, string>, audit: AuditWriter) {
    this.actor = holder.name;
    this.role = holder.role;
    this.ipAddress = ipAddress;
    this.#details = { ...ids };
    this.#audit = audit;
  }

  note(details: Record<string, unknown>): void {
    const json: Details = JSON.parse(JSON.stringify(details));
    this.#details = { ...this.#details, ...json };
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

  #entry(action: AuditAction, details: Details): AuditEntry {
    return { actor: this.actor, ipAddress: this.ipAddress, action, details: { ...details, ...this.#details } };
  }
}

/** Names both roles, so that a caller knows which token to use. Another token could succeed, hence 403 and not 401. */
const forbidden = (holder: TokenHolder, needed: AdminOperation) =>
  new Problem(
    'forbidden',
    `this operation needs a token with the role '${needed.role}'; the token '${holder.name}' has the role '${holder.role}'`,
  );

/** Authorizes admin requests and writes one audit entry for each; of refused ones up to a limit. */
export class AdminCalls {
  readonly #audit: AuditWriter;
  readonly #denied: Pick<DeniedCalls, 'record' | 'count'>;
  readonly #log: Log;
  readonly #holderOf: (given: string | null) => TokenHolder | null;
  readonly #address: ReturnType<typeof clientAddresses>;
  readonly #wrongTokens = new WrongTokens();
  readonly #slowAnswers: SlowAnswers;
  readonly #calls = new WeakMap<Request, Call>();

  constructor(options: {
    audit: AuditWriter;
    denied: Pick<DeniedCalls, 'record' | 'count'>;
    slowAnswers: SlowAnswers;
    tokens: readonly AdminToken[];
    trustedProxies: readonly string[];
    log: Log;
  }) {
    this.#audit = options.audit;
    this.#denied = options.denied;
    this.#log = options.log;
    this.#slowAnswers = options.slowAnswers;
    this.#holderOf = tokenChecker(options.tokens);
    this.#address = clientAddresses(options.trustedProxies);
  }

  /**
   * Authorizes a request by its token. A repeated call for the same request has no effect.
   *
   * @param asked the path's pattern and its operation (null: there is none, so that every token may learn this), and
   *   the ids in the path. The audit entry names the ids even if the request fails before its body is read.
   * @throws Problem `unauthorized`; after ten wrong tokens in a minute from one address `rate_limited`, delayed by up
   *   to two seconds to slow down guessing; `forbidden` if the role of the token is not enough.
   */
  async authorize(
    request: Request,
    asked: { route: string; operation: AdminOperation | null; ids?: Record<string, string> },
  ): Promise<void> {
    if (this.#calls.has(request)) return;
    const { route, operation, ids = {} } = asked;
    const node = nodeRequest(request);
    const ipAddress = this.#address(node);
    const holder = this.#holderOf(request.headers.get('x-admin-token'));
    if (holder !== null) {
      if (operation && !isAllowed(holder.role, operation.role)) {
        // A valid token is not a guess, so it does not count as a wrong one.
        await this.#denied.record({
          ...{ actor: holder.name, ipAddress, reason: 'forbidden' },
          details: {
            ...{ method: request.method, route, status: 403, action: operation.action },
            ...{ role: holder.role, required_role: operation.role, ...ids },
          },
        });
        throw forbidden(holder, operation);
      }
      this.#calls.set(request, new Call(holder, ipAddress, ids, this.#audit));
      return;
    }
    const { excess, retryAfterS } = this.#wrongTokens.add(ipAddress);
    const reason = excess > 0 ? 'rate_limited' : 'unauthorized';
    const details = { method: request.method, route, status: problems[reason][0] };
    // Of the calls beyond the tries of an address, the first has an entry, so that one address cannot use up the limit.
    if (excess <= 1) await this.#denied.record({ actor: ipAddress, ipAddress, reason, details });
    else this.#denied.count({ ipAddress, reason });
    if (excess === 0)
      throw new Problem('unauthorized', 'the header X-Admin-Token holds no valid admin token', {
        // RFC 9110 requires a challenge with each 401. The scheme is our own, so that no browser asks for a password.
        headers: { 'www-authenticate': 'AdminToken realm="admin API", header="X-Admin-Token"' },
      });
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

  /**
   * Writes the entry of a successful call, unless it was written with the change.
   *
   * @throws the database's error, so that no data is returned without an entry.
   */
  async succeeded(request: Request, action: AuditAction, details: Details): Promise<void> {
    const call = this.#calls.get(request);
    if (call && !call.recorded) await call.finish(action, details);
  }

  /**
   * Writes the entry of a failed call. An error of the database is only logged: the client gets the call's own failure.
   */
  async failed(request: Request, action: AuditAction, details: Details): Promise<void> {
    const call = this.#calls.get(request);
    // A denied request has no call; `authorize` has recorded it.
    if (!call) return;
    try {
      await call.finish(action, details);
    } catch (error) {
      this.#log.warn({ err: error, action }, 'audit entry of a failed admin call not written');
    }
  }
}
