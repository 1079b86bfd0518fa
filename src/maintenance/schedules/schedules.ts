import { Client, type ConnectionLike, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import type { Purpose } from '../../../workflows/queues.ts';
import type { Log } from '../../shared/log.ts';
import { Poller } from '../../shared/poller.ts';
import type { MaintenanceSettings } from '../settings.ts';
import { type MaintenanceTaskName, maintenanceTaskNames } from '../tasks.ts';
import { inputsOf, scheduleId, scheduleOptions } from './schedule-options.ts';

/** A healthy server answers in milliseconds. */
const callLimitMs = 5_000;
/** The interval of checks. A deleted schedule, or one that Temporal has lost, is created again after this time. */
const checkIntervalMs = 10 * 60_000;

interface SchedulesOptions {
  namespace: string;
  /** The queue of deliveries, where all workflows run. */
  taskQueue: string;
  settings: MaintenanceSettings;
  /** The purposes of this worker. It creates the schedules of the tasks that it can run. */
  takes: ReadonlySet<Purpose>;
  log: Log;
}

/** Creates and updates the maintenance schedules in Temporal according to this worker's settings. */
export class MaintenanceSchedules {
  readonly #options: SchedulesOptions;
  readonly #poller: Poller;
  #connection: ConnectionLike | null = null;

  constructor(options: SchedulesOptions) {
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
    const { settings, takes } = this.#options;
    const inputs = inputsOf(settings);
    const own = maintenanceTaskNames.filter((name) => takes.has(name === 'backup' ? 'backups' : 'maintenance'));
    await connection.withDeadline(Date.now() + callLimitMs, () =>
      Promise.all(own.map((name) => this.#ensure(client, name, inputs[name]))),
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
    const { definition, runLimit } = current.action.memo ?? {};
    if (definition === memo.definition && runLimit === memo.runLimit) return;
    // Keeps the state: whether it is paused, and the reason.
    await handle.update(({ state }) => ({ ...options, state }));
    // Expected after an upgrade or a change of settings. Otherwise two workers have different settings, and the last
    // one to start has won.
    log.warn({ schedule: id, input }, "maintenance schedule changed to this worker's version and settings");
  }
}
