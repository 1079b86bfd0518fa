import { Client, type ConnectionLike, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import type { Log } from '../../shared/log.ts';
import { Poller } from '../../shared/poller.ts';
import type { MaintenanceSettings } from '../settings.ts';
import { type MaintenanceTaskName, maintenanceTaskNames } from '../tasks.ts';
import { inputsOf, scheduleId, scheduleOptions } from './schedule-options.ts';

/** A healthy server answers in milliseconds. */
const callLimitMs = 5_000;
/** A Temporal that has lost its data, or a schedule that somebody has deleted, has it again after this. */
const lookMs = 10 * 60_000;

/** Sees to it that Temporal has the maintenance schedules as this worker's settings want them. */
export class MaintenanceSchedules {
  readonly #options: { namespace: string; taskQueue: string; settings: MaintenanceSettings; log: Log };
  readonly #poller: Poller;
  #connection: ConnectionLike | null = null;

  constructor(options: { namespace: string; taskQueue: string; settings: MaintenanceSettings; log: Log }) {
    this.#options = options;
    this.#poller = new Poller({
      name: 'schedules of the upkeep',
      idleMs: lookMs,
      log: options.log,
      work: () => this.#work(),
    });
  }

  start(): void {
    const { settings, log } = this.#options;
    if (inputsOf(settings).backup === null)
      log.warn({}, 'this worker schedules no backups: neither BACKUP_DIR nor BACKUP_URL is set');
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  /** Hands over the connection, or takes it away. */
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
    // One that another worker has made is left alone: that one may have a place for backups.
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
        // Another worker was quicker.
        if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      });
      return;
    }
    if (current.action.memo?.definition === memo.definition) return;
    // Its state stays: that it is paused, and why.
    await handle.update(({ state }) => ({ ...options, state }));
    // After an upgrade, or because somebody wants it so; or two workers have different settings, and the last to start has won.
    log.warn({ schedule: id, input }, "a schedule of the upkeep was changed to this worker's version and settings");
  }
}
