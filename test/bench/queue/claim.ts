import { Backlog } from '../../../src/attempts/backlog.ts';
import { claimForAttempt } from '../../../src/attempts/claim.ts';
import type { Sql } from '../../../src/database/sql.ts';
import { claimSettledForStart } from '../../../src/engine/claim-starts.ts';
import { StartPosition } from '../../../src/engine/start-position.ts';
import type { ClaimName } from '../../../src/events/queue.ts';

/** As many as one claim of an api takes. */
export const claimSize = 128;

/** Claims events as an api and a worker with free room do: each claim continues after the last one. */
export class Claims {
  readonly #sql: Sql;
  readonly #token: string;
  readonly #backlog = new Backlog();
  readonly #position = new StartPosition();

  constructor(sql: Sql, token: string) {
    this.#sql = sql;
    this.#token = token;
  }

  /** Called when events were added, as ingestion notifies the relays: with the accounts of the events. */
  enqueued(accountIds: readonly string[]): void {
    for (const id of accountIds) this.#backlog.noticed(id);
  }

  /** Claims the next events for their first attempts. */
  async attempts(): Promise<ClaimName[]> {
    const beganMs = performance.now();
    const began = this.#backlog.notices;
    const scope = this.#backlog.scope(() => true, beganMs);
    if (scope === null) return [];
    const round = await claimForAttempt(this.#sql, {
      ...{ scope, token: this.#token },
      room: { of: new Map(), others: claimSize },
      limit: claimSize,
    });
    const { claimed } = round;
    this.#backlog.learn(scope, round, { began, full: claimed.length === claimSize, beganMs });
    return this.#names(claimed);
  }

  /** Claims the next delivered events for the start of their workflows. */
  async starts(): Promise<ClaimName[]> {
    const beganMs = performance.now();
    const after = this.#position.after(beganMs);
    const { claimed } = await claimSettledForStart(this.#sql, {
      all: true,
      after,
      limit: claimSize,
      token: this.#token,
    });
    this.#position.claimed(claimed.at(-1)?.eventId ?? null, { beganMs, nowMs: performance.now() });
    return this.#names(claimed);
  }

  #names(claimed: { eventId: string; generation: number }[]): ClaimName[] {
    return claimed.map(({ eventId, generation }) => ({ eventId, generation, token: this.#token }));
  }
}
