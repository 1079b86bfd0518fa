import type { Sql } from '../database/sql.ts';
import { lanes } from '../events/lanes.ts';
import { isPaused } from '../events/pause.ts';
import { consumersOfLane, isAmong, lowestId, maySend, ofConsumer } from '../events/queue.ts';
import type { Log } from '../shared/log.ts';
import { Poller, type Round } from '../shared/poller.ts';

/** How long first attempts wait for an `api` that makes them. Longer than the restart of one takes. */
const patienceMs = 5_000;
const lookMs = 1_000;
/** Events a statement. */
const most = 500;
/** Consumers that a statement passes at most, most of them paused. */
const mostConsumers = 10_000;

// A delivery that an operator has ended needs no attempt: its event waits with the settled ones, which get no workflow with
// EVENT_WORKFLOWS=on_retry. The subselect looks only into the partition of its event.
const leave = {
  name: 'leave_to_workflows',
  text: `
    with recursive ${consumersOfLane(lanes.firstAttempt, `'${lowestId}'::uuid`, mostConsumers)}, waiting as (
      select w.event_id from hop cross join lateral (
        select q.event_id from event_queue q
        where q.lane = ${lanes.firstAttempt} and ${ofConsumer('hop.account_id', `'${lowestId}'::uuid`)} and (q.claimed_until is null or q.claimed_until <= now())
          -- Those of a disabled or paused consumer would wait with a workflow, too, and an api makes their attempts sooner.
          and not ${isPaused} and ${maySend('hop.account_id')}
          -- The last heartbeat may be a second old.
          and not exists (select from processes where makes_first_attempts and alive_until > now())
        order by q.account_id, q.event_id limit $1 for update skip locked
      ) w limit $1
    )
    update event_queue q set claimed_until = null, claim_token = null, lane_since = now(),
      lane = case when (select e.delivery_status from events e where e.id = q.event_id) is distinct from 'pending'
        then ${lanes.settledStart} else ${lanes.pendingStart} end
    where ${isAmong('q.event_id', 'select event_id from waiting')} returning q.event_id`,
};

/**
 * Lets the workflows of queued events make the first attempt: the events then only wait for the start of theirs.
 *
 * @returns how many it were; as many as `limit` when more may be left.
 */
export async function leaveFirstAttempts(sql: Sql, limit: number): Promise<number> {
  return (await sql.query(leave, [limit])).length;
}

/**
 * Leaves first attempts to the workflows while no process makes them: every `api` is down, or has API_DELIVERS=false. No
 * attempt is counted before; the workflow makes all ten.
 */
export class LeavingToWorkflows {
  readonly #deps: LeavingDeps;
  readonly #poller: Poller;
  /** When a process that makes first attempts was last seen, by the monotonic clock. */
  #madeAtMs = performance.now();
  #isLeaving = false;

  constructor(deps: LeavingDeps) {
    this.#deps = deps;
    this.#poller = new Poller({
      name: 'first attempts without an api',
      idleMs: lookMs,
      log: deps.log,
      work: () => this.#round(),
    });
  }

  start(): void {
    this.#poller.start();
  }

  /** Called when an event waits for its first attempt. */
  queued(): void {
    if (this.#isLeaving) this.#poller.wake();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  async #round(): Promise<Round> {
    const { sql, log, isAlive, firstAttemptsAreMade, temporalAnswers, onLeft } = this.#deps;
    if (!isAlive() || firstAttemptsAreMade()) {
      this.#madeAtMs = performance.now();
      return this.#wait();
    }
    if (performance.now() - this.#madeAtMs < (this.#deps.patienceMs ?? patienceMs)) return 'idle';
    // An event that is left only waits for Temporal, also when an api is back before Temporal is.
    if (!(await temporalAnswers())) return this.#wait();
    if (!this.#isLeaving) log.warn({}, 'no api makes first attempts: workflows make them');
    this.#isLeaving = true;
    const left = await leaveFirstAttempts(sql, most);
    if (left > 0) onLeft();
    return left === most ? 'more' : 'idle';
  }

  #wait(): 'idle' {
    if (this.#isLeaving)
      this.#deps.log.warn({}, 'workflows no longer make first attempts: an api does, or Temporal is away');
    this.#isLeaving = false;
    return 'idle';
  }
}

interface LeavingDeps {
  sql: Sql;
  log: Log;
  /** Whether this process has a heartbeat, and so sees others. */
  isAlive(): boolean;
  firstAttemptsAreMade(): boolean;
  /** Whether workflows can be started. */
  temporalAnswers(): Promise<boolean>;
  /** Called when workflows are to be started. */
  onLeft(): void;
  /** Shorter in tests. */
  patienceMs?: number | undefined;
}
