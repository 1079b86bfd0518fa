import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { ServerProcess } from '../faults/server-process.ts';
import { startArguments } from '../support/start-command.ts';
import { until } from '../support/until.ts';

/** Longer than the 45 s after which a process that stops ends itself. */
const stopLimitMs = 60_000;
/** A start takes seconds, and more on a busy machine. */
const startLimitMs = 90_000;

/** One place for a process of a role, which runs one release after the other. */
export class Place {
  readonly name: string;
  readonly role: 'api' | 'worker';
  /** Where an api listens, and a worker for its metrics. */
  readonly port: number;
  readonly #folder: string;
  readonly #env: Record<string, string>;
  #process: ServerProcess | null = null;
  #logFrom = 0;

  private constructor(options: PlaceOptions, port: number) {
    this.name = options.name;
    this.role = options.role;
    this.#folder = options.folder;
    this.#env = options.env;
    this.port = port;
  }

  static async make(options: PlaceOptions): Promise<Place> {
    return new Place(options, await freePort([], options.portsFrom));
  }

  get logPath(): string {
    return join(this.#folder, `${this.name}.log`);
  }

  /** Starts the release of a checkout here, and waits until it is ready. */
  async start(checkout: string): Promise<void> {
    this.#logFrom = statSync(this.logPath, { throwIfNoEntry: false })?.size ?? 0;
    const process_ = new ServerProcess({
      name: this.name,
      logPath: this.logPath,
      launch: () => ({
        command: [process.execPath, ...startArguments(this.role, checkout)],
        env: { ...this.#env, [this.role === 'api' ? 'PORT' : 'METRICS_PORT']: String(this.port) },
        cwd: this.#folder,
      }),
    });
    this.#process = process_;
    process_.start();
    await until(`${this.name} is ready`, () => this.#isReady(process_), { limitMs: startLimitMs });
  }

  /** Asks the process to stop, waits for its end, and fails if it was not clean. */
  async stop(): Promise<void> {
    const how = await this.#process?.stop('SIGTERM', stopLimitMs);
    if (how !== 'ended with code 0') throw new Error(`${this.name} ${how}:\n${this.#log().slice(-3_000)}`);
    this.#process = null;
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  /** The log of all processes of this place. */
  said(): string {
    return statSync(this.logPath, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(this.logPath, 'utf8');
  }

  /** The last lines of the log at level `warn` or above, of all processes of this place. */
  warnings(): string {
    return this.said()
      .split('\n')
      .filter((line) => !/^\{"level":[123]0,/.test(line))
      .slice(-20)
      .join('\n');
  }

  /** The log of the present or last process. */
  #log(): string {
    return readFileSync(this.logPath).subarray(this.#logFrom).toString();
  }

  async #isReady(started: ServerProcess): Promise<boolean> {
    if (started.pid === null) throw new Error(`${this.name} did not start:\n${this.#log().slice(-3_000)}`);
    if (this.role === 'worker') return this.#log().includes('"msg":"worker running"');
    const url = `http://127.0.0.1:${this.port}/health/ready`;
    return fetch(url).then(
      (response) => response.ok,
      () => false,
    );
  }
}

interface PlaceOptions {
  /** The port is a free one of the thousand from here on. */
  portsFrom: number;
  name: string;
  role: 'api' | 'worker';
  folder: string;
  env: Record<string, string>;
}
