import type { AuditAction } from '../http/admin/actions.ts';
import type { TokenHolder } from '../http/admin/auth.ts';
import { clientAddresses } from '../http/admin/client-address.ts';
import { isAllowed } from '../http/admin/roles.ts';
import { scopeText, type TokenScope } from '../http/admin/scope.ts';
import type { SlowAnswers } from '../http/admin/slow-answers.ts';
import { WrongTokens } from '../http/admin/wrong-tokens.ts';
import { nodeRequest } from '../http/node-request.ts';
import type { AdminOperation } from '../http/operation.ts';
import { Problem, problems } from '../http/problem.ts';
import type { Log } from '../shared/log.ts';
import { type AdminCall, type AdminTokens, Call, type Details, type ScopeReach, unauthorized } from './admin-call.ts';
import type { AuditWriter } from './audit-writer.ts';
import type { DeniedCalls } from './denied/denied-calls.ts';
import { shortened } from './entry.ts';
import { FailedCalls } from './failed-calls.ts';
import { isCounted, type RepeatedReads } from './repeated-reads.ts';

/** Names both roles, so that a caller knows which token to use. Another token could succeed, hence 403 and not 401. */
const forbidden = (holder: TokenHolder, needed: AdminOperation) =>
  new Problem(
    'forbidden',
    `this operation needs a token with the role '${needed.role}'; the token '${holder.name}' has the role '${holder.role}'`,
  );

const outOfScope = (holder: TokenHolder, scope: TokenScope) =>
  new Problem(
    'out_of_scope',
    `the token '${holder.name}' is limited to ${scopeText(scope)}, and this operation cannot be limited`,
  );

/** Why a token may not call an operation; null if it may. */
function refusalOf(holder: TokenHolder, operation: AdminOperation): Problem | null {
  if (!isAllowed(holder.role, operation.role)) return forbidden(holder, operation);
  return holder.scope && operation.scope === null ? outOfScope(holder, holder.scope) : null;
}

/**
 * Authorizes admin requests and writes one audit entry for each; of refused and failed ones up to a limit, of the same reads
 * one an hour.
 */
export class AdminCalls {
  readonly #audit: AuditWriter;
  readonly #denied: Pick<DeniedCalls, 'record' | 'count'>;
  readonly #reads: Pick<RepeatedReads, 'record'>;
  readonly #failed: FailedCalls;
  readonly #log: Log;
  readonly #tokens: AdminTokens;
  readonly #reach: ScopeReach;
  readonly #address: ReturnType<typeof clientAddresses>;
  readonly #wrongTokens = new WrongTokens();
  readonly #slowAnswers: SlowAnswers;
  readonly #calls = new WeakMap<Request, Call>();

  constructor(options: {
    audit: AuditWriter;
    denied: Pick<DeniedCalls, 'record' | 'count'>;
    reads: Pick<RepeatedReads, 'record' | 'count'>;
    slowAnswers: SlowAnswers;
    tokens: AdminTokens;
    reach: ScopeReach;
    trustedProxies: readonly string[];
    log: Log;
  }) {
    this.#audit = options.audit;
    this.#denied = options.denied;
    this.#reads = options.reads;
    this.#failed = new FailedCalls(options);
    this.#log = options.log;
    this.#slowAnswers = options.slowAnswers;
    this.#tokens = options.tokens;
    this.#reach = options.reach;
    this.#address = clientAddresses(options.trustedProxies);
  }

  /**
   * Authorizes a request by its token. A repeated call for the same request has no effect.
   *
   * @param asked the path's pattern and its operation (null: there is none, so that every token may learn this), and
   *   the ids in the path. The audit entry names the ids even if the request fails before its body is read.
   * @throws Problem `unauthorized`; after ten wrong tokens in a minute from one address `rate_limited`, delayed by up
   *   to two seconds to slow down guessing; `forbidden` if the role of the token is not enough; `out_of_scope` if the
   *   token has a scope and the operation no limit; `not_found` for an id in the path that is outside of the scope.
   */
  async authorize(
    request: Request,
    asked: { route: string; operation: AdminOperation | null; ids?: Record<string, string> },
  ): Promise<void> {
    if (this.#calls.has(request)) return;
    const { route, operation, ids = {} } = asked;
    const node = nodeRequest(request);
    const ipAddress = this.#address(node);
    const holder = this.#tokens.holderOf(request.headers.get('x-admin-token'));
    if (holder !== null) {
      const refusal = operation && refusalOf(holder, operation);
      if (refusal) {
        // A valid token is not a guess, so it does not count as a wrong one.
        await this.#denied.record({
          ...{ actor: holder.name, ipAddress, reason: 'forbidden' },
          details: {
            ...{ method: request.method, route, status: 403, action: operation.action },
            ...{ role: holder.role, required_role: operation.role, ...shortened(ids) },
            ...(holder.scope ? { token_scope: { ...holder.scope } } : {}),
          },
        });
        throw refusal;
      }
      const deps = { audit: this.#audit, tokens: this.#tokens, reach: this.#reach };
      const call = new Call(holder, ipAddress, ids, deps);
      this.#calls.set(request, call);
      if (operation) await call.limit();
      return;
    }
    const { excess, retryAfterS } = this.#wrongTokens.add(ipAddress);
    const reason = excess > 0 ? 'rate_limited' : 'unauthorized';
    const details = { method: request.method, route, status: problems[reason][0] };
    // Of the calls beyond the tries of an address, the first has an entry, so that one address cannot use up the limit.
    if (excess <= 1) await this.#denied.record({ actor: ipAddress, ipAddress, reason, details });
    else this.#denied.count({ ipAddress, reason });
    if (excess === 0) throw unauthorized('the header X-Admin-Token holds no valid admin token');
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
   * Writes the entry of a successful call, unless it was written with the change. A read that repeats is only counted.
   *
   * @throws the database's error, so that no data is returned without an entry.
   */
  async succeeded(request: Request, action: AuditAction, details: Details): Promise<void> {
    const call = this.#calls.get(request);
    if (!call || call.recorded) return;
    if (isCounted(request.method, action)) await call.finishRead(this.#reads, action, details);
    else await call.finish(action, details);
  }

  /**
   * Writes the entry of a failed call, or counts it. An error of the database is only logged: the client gets the call's own failure.
   */
  async failed(request: Request, action: AuditAction, details: Details): Promise<void> {
    const call = this.#calls.get(request);
    // A denied request has no call; `authorize` has recorded it.
    if (!call) return;
    try {
      await call.finishFailed(this.#failed, action, details);
    } catch (error) {
      this.#log.warn({ err: error, action }, 'audit entry of a failed admin call not written');
    }
  }
}
