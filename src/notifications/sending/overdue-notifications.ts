import { databaseFailure } from '../../database/errors.ts';
import type { Sql } from '../../database/sql.ts';
import { readPause } from '../../events/pause.ts';
import type { Log } from '../../shared/log.ts';
import { Poller, type Round } from '../../shared/poller.ts';
import type { NotificationRef } from '../notification.ts';
import { overdueNotifications } from '../notification-store.ts';
import { type DestinationSlots, inFlightPerDestination } from './destination-slots.ts';
import type { Notifier } from './notifier.ts';

const longestPauseMs = 30_000;

/**
 * Sends overdue notifications: those whose workflow is lost, or all while Temporal is unavailable. Destinations are
 * served concurrently, so that a slow one does not delay the others.
 */
export class OverdueNotifications {
  readonly #deps: { sql: Sql; notifier: Notifier; slots: DestinationSlots; overdueS: number; log: Log };
  readonly #poller: Poller;
  readonly #ending = new AbortController();
  readonly #busy = new Map<string, Promise<void>>();

  /** @param deps.overdueS the seconds after its due time from which a notification counts as overdue */
  constructor(deps: { sql: Sql; notifier: Notifier; slots: DestinationSlots; overdueS: number; log: Log }) {
    this.#deps = deps;
    this.#poller = new Poller({
      name: 'overdue notifications',
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
    const { sql, slots, overdueS, log } = this.#deps;
    // Notifications that are late because of a pause are sent by their workflows after the pause.
    if (await readPause(sql)) return 'idle';
    const overdue = await overdueNotifications(sql, {
      ...{ overdueS, perDestination: inFlightPerDestination },
      except: [...this.#busy.keys(), ...slots.held()],
    });
    if (overdue.length > 0) log.warn({ notifications: overdue.length }, 'overdue notifications retried');
    for (const [id, some] of Map.groupBy(overdue, ({ destinationId }) => destinationId)) {
      this.#busy.set(id, this.#tell(id, some));
    }
    return 'idle';
  }

  /** Sends some notifications. If one was settled, wakes the poller, because the destination may have more. */
  async #tell(destinationId: string, some: NotificationRef[]): Promise<void> {
    const { notifier, log } = this.#deps;
    let moved = false;
    try {
      const told = await Promise.all(some.map((one) => notifier.notifyInPassing(one, this.#ending.signal)));
      moved = told.some(({ kind }) => kind === 'settled');
    } catch (error) {
      log.warn({ failure: databaseFailure(error) }, 'overdue notifications not sent yet, retrying');
    }
    this.#busy.delete(destinationId);
    if (moved) this.#poller.wake();
  }
}
