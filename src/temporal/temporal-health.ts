import type { NativeConnection } from '@temporalio/worker';

/** A server that is reached answers within milliseconds. */
const answerLimitMs = 1_000;

/** What a worker can tell about Temporal: whether it polls, and whether the server answers. */
export class TemporalHealth {
  #connection: NativeConnection | null = null;

  /** Called with the connection when the Temporal worker starts to run, and with null when it stops. */
  set(connection: NativeConnection | null): void {
    this.#connection = connection;
  }

  /**
   * Whether the Temporal worker runs. It also runs while the server is away, because the SDK then keeps polling; so only
   * together with `answers` does this say that tasks arrive.
   */
  get polling(): boolean {
    return this.#connection !== null;
  }

  /** Asks the server for its version, on the connection of the worker. */
  async answers(): Promise<boolean> {
    const connection = this.#connection;
    if (connection === null) return false;
    try {
      await connection.withDeadline(Date.now() + answerLimitMs, () => connection.workflowService.getSystemInfo({}));
      return true;
    } catch {
      return false;
    }
  }
}
