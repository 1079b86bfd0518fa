import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { nice } from '../../src/embedded/priority.ts';
import { ownFolder, type Servers } from '../faults/ground.ts';
import { Role } from '../faults/role.ts';
import { type ClusterBalancer, startBalancer } from './cluster-balancer.ts';
import { type ClusterRole, startRole } from './cluster-role.ts';
import type { ClusterGround } from './ground.ts';

const taskQueue = 'webhook-deliveries';
/** A process drains for at most 45 s. */
const stopLimitMs = 50_000;
const apiPorts = 29_000;
const metricsPorts = 30_000;

export interface ClusterOptions {
  apis: number;
  workers: number;
  /** More variables of all processes. */
  environment?: Record<string, string>;
  /** More options of Node for the workers. */
  workerOptions?: string;
  /** Settings of PostgreSQL that replace or add to those of the cluster. */
  postgresSettings?: Record<string, string>;
  /** Where the balancer listens; 0 for any free port. */
  port?: number;
  adminToken?: string;
  /** The program of nginx, in the place of the test's balancer; null: none. */
  nginx?: string | null;
}

/** The processes of a gateway on many machines, here on one: its servers, api and worker processes, and a balancer. */
export class Cluster {
  readonly servers: Servers;
  /** The one address of the gateway. */
  readonly url: string;
  readonly adminToken: string;
  readonly balancer: ClusterBalancer;
  /** The folder with the logs of all processes. */
  readonly logs: string;
  readonly #environment: Record<string, string>;
  readonly #workerOptions: string;
  readonly #removed: () => void;
  readonly #roles: ClusterRole[] = [];
  readonly #started = { api: 0, worker: 0 };

  /** Starts the servers, then the processes, then lets the balancer forward requests. */
  static async open(ground: ClusterGround, options: ClusterOptions): Promise<Cluster> {
    const { folder, remove } = ownFolder('gateway-cluster-');
    process.once('exit', remove);
    const logs = join(folder, 'logs');
    mkdirSync(logs, { mode: 0o755 });
    const servers = await ground.openServers({
      ...{ folder, logs, onSmallDisk: false },
      postgresSettings: options.postgresSettings,
    });
    await servers.postgres.start();
    await servers.temporal.start();
    const balancer = await startBalancer({ nginx: options.nginx ?? null, folder, port: options.port ?? 0 });
    const cluster = new Cluster({ ground, options, servers, balancer, logs, remove });
    try {
      for (let n = 0; n < Math.max(options.apis, options.workers); n++)
        await Promise.all([
          n < options.apis ? cluster.start('api') : null,
          n < options.workers ? cluster.start('worker') : null,
        ]);
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  private constructor(made: {
    ground: ClusterGround;
    options: ClusterOptions;
    servers: Servers;
    balancer: ClusterBalancer;
    logs: string;
    remove: () => void;
  }) {
    const { options, servers } = made;
    this.servers = servers;
    this.balancer = made.balancer;
    this.logs = made.logs;
    this.url = `http://127.0.0.1:${made.balancer.port}`;
    this.adminToken = options.adminToken ?? `cluster-${randomBytes(12).toString('hex')}`;
    this.#workerOptions = options.workerOptions ?? '';
    this.#removed = made.remove;
    const { PATH = '', HOME = '', XDG_CACHE_HOME } = process.env;
    this.#environment = {
      ...{ PATH, HOME, ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }) },
      NODE_COMPILE_CACHE: made.ground.compileCache,
      DATABASE_URL: servers.postgres.urlBy(servers.postgres.port),
      TEMPORAL_ADDRESS: `127.0.0.1:${servers.temporal.port}`,
      TEMPORAL_TASK_QUEUE: taskQueue,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      ADMIN_TOKEN: this.adminToken,
      PUBLIC_URL: this.url,
      // The balancer, which names the client.
      TRUSTED_PROXIES: '127.0.0.1',
      DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...options.environment,
    };
  }

  /** The running processes of one kind, in the order of their start. */
  roles(kind: ClusterRole['kind']): ClusterRole[] {
    return this.#roles.filter((role) => role.kind === kind);
  }

  /** Below which `/metrics` of each api and worker is. */
  get metricsUrls(): string[] {
    return this.#roles.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** All processes of the gateway, without the balancer, for what they cost. */
  get pids(): number[] {
    return this.#roles.flatMap(({ process: { process } }) => process.pid ?? []);
  }

  /**
   * Starts one more process, of this release or of another one, and waits until it accepts work.
   *
   * @param checkout the folder of the other release's package.json, with its node_modules
   */
  async start(kind: ClusterRole['kind'], checkout?: string): Promise<ClusterRole> {
    this.#started[kind] += 1;
    const name = `${kind}-${this.#started[kind]}`;
    const port = await freePort([], kind === 'api' ? apiPorts : metricsPorts);
    const listens: Record<string, string> = kind === 'api' ? { PORT: String(port) } : { METRICS_PORT: String(port) };
    const options: Record<string, string> =
      kind === 'worker' && this.#workerOptions !== '' ? { NODE_OPTIONS: this.#workerOptions } : {};
    const role: ClusterRole = {
      ...{ name, kind, port, checkout },
      process: new Role({
        ...{ name, folder: this.logs, env: { ...this.#environment, ...listens, ...options } },
        ...(checkout === undefined ? {} : { checkout }),
        // As the shares of docker-compose.yml.
        nice: kind === 'worker' ? nice : 0,
      }),
    };
    this.#roles.push(role);
    await startRole(role, { temporalPort: this.servers.temporal.port, taskQueue });
    if (kind === 'api') await this.#balance();
    return role;
  }

  /**
   * Stops a process gracefully. An api stays behind the balancer until it has ended, as it does where a balancer learns
   * of it by its readiness only. Returns how it ended: `ended with code 0` if all is well.
   */
  async stop(role: ClusterRole): Promise<string> {
    const how = await role.process.stop(stopLimitMs);
    this.#roles.splice(this.#roles.indexOf(role), 1);
    if (role.kind === 'api') await this.#balance();
    return how;
  }

  /** Stops everything and removes the data. Returns how processes ended that did not stop gracefully, in words. */
  async close(): Promise<string[]> {
    const ends = await Promise.all(
      this.#roles.map(async ({ name, process: role }) => ({ name, how: await role.stop(stopLimitMs) })),
    );
    await this.balancer.stop();
    await this.servers.temporal.close();
    await this.servers.postgres.close();
    process.off('exit', this.#removed);
    this.#removed();
    return ends.filter(({ how }) => how !== 'ended with code 0').map(({ name, how }) => `${name} ${how}`);
  }

  #balance(): Promise<void> {
    return this.balancer.use(this.roles('api').map(({ port }) => port));
  }
}
