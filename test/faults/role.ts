import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startArguments } from '../support/start-command.ts';
import { ServerProcess } from './server-process.ts';

const clock = fileURLToPath(new URL('clock.ts', import.meta.url));
const restartPauseMs = 500;

/** A process of the gateway, which is started again when it ends, as by a supervisor. */
export class Role {
  readonly name: string;
  readonly process: ServerProcess;
  /** How the process ended by itself after it had been running; a fault of the gateway. */
  readonly crashes: string[] = [];
  readonly #logPath: string;
  readonly #clockPath: string;
  #wanted = false;
  #logFrom = 0;

  /**
   * @param options `name` is `api` or `worker` with a number, such as `worker-2`; `folder` gets its log; `checkout` is the
   *   folder of another release's package.json, by default that of this one; `nice` lowers its CPU priority
   */
  constructor(options: {
    name: string;
    folder: string;
    env: Record<string, string>;
    checkout?: string;
    nice?: number;
  }) {
    this.name = options.name;
    this.#logPath = join(options.folder, `${options.name}.log`);
    this.#clockPath = join(options.folder, `${options.name}.clock`);
    const role = options.name.startsWith('api') ? 'api' : 'worker';
    this.process = new ServerProcess({
      name: options.name,
      logPath: this.#logPath,
      launch: () => ({
        command: [process.execPath, '--import', clock, ...startArguments(role, options.checkout)],
        env: { ...options.env, FAULTS_CLOCK: this.#clockPath },
        cwd: options.folder,
        nice: options.nice ?? 0,
      }),
    });
  }

  /** Whether the present process has begun its work, by its log. */
  get isRunning(): boolean {
    if (this.process.pid === null) return false;
    return /"msg":"(api listening|worker running)"/.test(this.#logOfThisProcess());
  }

  start(): void {
    this.#wanted = true;
    this.#logFrom = statSync(this.#logPath, { throwIfNoEntry: false })?.size ?? 0;
    this.process.start();
    void this.process.ended.then(async (how) => {
      if (!this.#wanted) return;
      // A start fails while PostgreSQL is away. The supervisor tries again.
      if (/"msg":"(api listening|worker running)"/.test(this.#logOfThisProcess())) this.crashes.push(how);
      await sleep(restartPauseMs);
      if (this.#wanted) this.start();
    });
  }

  /** Kills the process. It is not started again before `start`. */
  async kill(): Promise<void> {
    this.#wanted = false;
    await this.process.kill();
  }

  /** Stops the process gracefully. Returns how it ended. */
  async stop(limitMs: number): Promise<string> {
    this.#wanted = false;
    return this.process.stop('SIGTERM', limitMs);
  }

  /** Sets how far the clock of the process, and of its successors, is ahead. */
  setClock(offsetS: number): void {
    writeFileSync(this.#clockPath, String(offsetS));
    // Before its code runs, a process would be ended by the signal. It reads the file at its start.
    if (this.isRunning) this.process.signal('SIGUSR2');
  }

  #logOfThisProcess(): string {
    return readFileSync(this.#logPath).subarray(this.#logFrom).toString();
  }
}
