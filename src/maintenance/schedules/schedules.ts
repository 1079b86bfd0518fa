import { Client, type ConnectionLike, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import type { Log } from '../../shared/log.ts';
import { Poller } from '../../shared/poller.ts';
import type { MaintenanceSettings } from '../settings.ts';
import { type MaintenanceTaskName, maintenanceTaskNames } from '../tasks.ts';
import { inputsOf, scheduleId, scheduleOptions } from './schedule-options.ts';

/** A healthy server answers in milliseconds. */
const callLimitMs = 5_000;
/** The interval of checks. A deleted schedule, or one that Temporal has lost, is created again after this time. */
const checkIntervalMs = 10 * 60_000;

/** Creates and updates the maintenance schedules in Temporal according to this worker's settings. */
export class MaintenanceSchedules {
  readonly #options: { namespace: string; taskQueue: string; settings: MaintenanceSettings; log: Log };
  readonly #poller: Poller;
  #connection: ConnectionLike | null = null;

  constructor(options: { namespace: string; taskQueue: string; settings: MaintenanceSettings; log: Log }) {
    this.#options = options;
    this.#poller = new Poller({
      name: 'maintenance schedules',
      idleMs: checkIntervalMs,
      log: options.log,
      work: () => this.#work(),
    });
  }

  start(): void {
    const { settings, log } = this.#options;
    if (inputsOf(settings).backup === null)
      log.warn({}, 'backups not scheduled, neither BACKUP_DIR nor BACKUP_URL is set');
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  /** Sets the connection, or removes it with null. */
  connected(connection: ConnectionLike | null): void {
    this.#connection = connection;
    if (connection) this.#poller.wake();
  }

  async #work(): Promise<'idle'> {
    const connection = this.#connection;
    if (!connection) return 'idle';
    const client = new Client({ connection, namespace: this.#options.namespace });
    const inputs = inputsOf(this.#options.settings);
    await connection.withDeadline(Date.now() + callLimitMs, () =>
      Promise.all(maintenanceTaskNames.map((name) => this.#ensure(client, name, inputs[name]))),
    );
    return 'idle';
  }

  async #ensure(client: Client, name: MaintenanceTaskName, input: ReturnType<typeof inputsOf>[MaintenanceTaskName]) {
    // A schedule created by another worker is kept: that worker may have a place for backups.
    if (input === null) return;
    const { taskQueue, log } = this.#options;
    const id = scheduleId(taskQueue, name);
    const { memo, options } = scheduleOptions(taskQueue, name, input);
    const handle = client.schedule.getHandle(id);
    const current = await handle.describe().catch((error: unknown) => {
      if (error instanceof ScheduleNotFoundError) return null;
      throw error;
    });
    if (!current) {
      await client.schedule.create({ scheduleId: id, ...options }).catch((error: unknown) => {
        // Another worker has just created it.
        if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      });
      return;
    }
    if (current.action.memo?.definition === memo.definition) return;
    // Keeps the state: whether it is paused, and the reason.
    await handle.update(({ state }) => ({ ...options, state }));
    // Expected after an upgrade or a change of settings. Otherwise two workers have different settings, and the last
    // one to start has won.
    log.warn({ schedule: id, input }, "maintenance schedule changed to this worker's version and settings");
  }
}
