import { databaseFailure } from '../../database/errors.ts';
import type { Sql } from '../../database/sql.ts';
import { readPause } from '../../events/pause.ts';
import type { Log } from '../../shared/log.ts';
import { Poller, type Round } from '../../shared/poller.ts';
import type { NotificationRef } from '../notification.ts';
import { overdueNotifications } from '../notification-store.ts';
import { type DestinationTurns, inFlightPerDestination } from './destination-turns.ts';
import type { Notifier } from './notifier.ts';

const longestPauseMs = 30_000;

/**
 * Sends what nobody has sent although it was due long ago: its workflow is gone, or Temporal is. Destinations are served
 * side by side, each as quickly as it takes messages.
 */
export class OverdueNotifications {
  readonly #deps: { sql: Sql; notifier: Notifier; turns: DestinationTurns; overdueS: number; log: Log };
  readonly #poller: Poller;
  readonly #ending = new AbortController();
  readonly #busy = new Map<string, Promise<void>>();

  /** @param deps.overdueS seconds past its time after which a notification is looked for */
  constructor(deps: { sql: Sql; notifier: Notifier; turns: DestinationTurns; overdueS: number; log: Log }) {
    this.#deps = deps;
    this.#poller = new Poller({
      name: 'notifications that nobody has sent',
      idleMs: Math.min(longestPauseMs, deps.overdueS * 500),
      log: deps.log,
      work: () => this.#look(),
    });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#poller.stop();
    await Promise.all(this.#busy.values());
  }

  async #look(): Promise<Round> {
    const { sql, turns, overdueS, log } = this.#deps;
    // What is late because of a pause is asked for again when it ends.
    if (await readPause(sql)) return 'idle';
    const overdue = await overdueNotifications(sql, {
      ...{ overdueS, perDestination: inFlightPerDestination },
      except: [...this.#busy.keys(), ...turns.held()],
    });
    if (overdue.length > 0) log.warn({ notifications: overdue.length }, 'overdue notifications are looked after');
    for (const [id, some] of Map.groupBy(overdue, ({ destinationId }) => destinationId)) {
      this.#busy.set(id, this.#tell(id, some));
    }
    return 'idle';
  }

  /** When a destination has taken something, there may be more for it. */
  async #tell(destinationId: string, some: NotificationRef[]): Promise<void> {
    const { notifier, log } = this.#deps;
    let moved = false;
    try {
      const told = await Promise.all(some.map((one) => notifier.notifyInPassing(one, this.#ending.signal)));
      moved = told.some(({ kind }) => kind === 'settled');
    } catch (error) {
      log.warn({ failure: databaseFailure(error) }, 'overdue notifications could not be sent yet');
    }
    this.#busy.delete(destinationId);
    if (moved) this.#poller.wake();
  }
}
