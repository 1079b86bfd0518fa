import { stringify } from 'yaml';

/** The services of a Temporal server, which here share one process. */
const services = ['frontend', 'history', 'matching', 'worker'] as const;
type Service = (typeof services)[number];
export type ServicePorts = Record<Service, { grpc: number; membership: number }>;

/** How many ports the services need. */
export const portsNeeded = 2 * services.length;

/** Assigns free ports to the services. */
export function servicePorts(ports: readonly number[]): ServicePorts {
  if (new Set(ports).size < portsNeeded) throw new Error(`Temporal needs ${portsNeeded} different ports`);
  const pair = (n: number) => ({ grpc: ports[2 * n] ?? 0, membership: ports[2 * n + 1] ?? 0 });
  return { frontend: pair(0), history: pair(1), matching: pair(2), worker: pair(3) };
}

/**
 * A history shard is a lock and a queue of its own; the number is fixed when the database is made. More shards only
 * spread a load over several history processes, and each of them polls the database. One process needs no more than
 * these, which are also the default of the server's image.
 */
const historyShards = 4;
/**
 * Connections of each of the four services to its two databases, as in the server's image: at most 4 × (20 + 10), for
 * which docker-compose.yml leaves room in max_connections.
 */
const connections = { temporal: 20, temporal_visibility: 10 };

/** What a server is started with. */
export interface TemporalSettings {
  ports: ServicePorts;
  /** Where the server has its metrics for Prometheus, as the development server always has. */
  metricsPort: number;
  postgres: { port: number; user: string; password: string };
  /** The path of the dynamic configuration. */
  dynamicConfig: string;
}

/**
 * The configuration file of a server on loopback, on one PostgreSQL for workflows and visibility.
 *
 * @see https://docs.temporal.io/references/configuration
 */
export function temporalConfig({ ports, metricsPort, postgres, dynamicConfig }: TemporalSettings): string {
  const store = (databaseName: keyof typeof connections) => ({
    sql: {
      pluginName: 'postgres12_pgx',
      databaseName,
      connectAddr: `127.0.0.1:${postgres.port}`,
      connectProtocol: 'tcp',
      user: postgres.user,
      password: postgres.password,
      maxConns: connections[databaseName],
      maxIdleConns: connections[databaseName],
      maxConnLifetime: '1h',
    },
  });
  return stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: historyShards,
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
      metrics: {
        prometheus: { framework: 'tally', timerType: 'histogram', listenAddress: `127.0.0.1:${metricsPort}` },
      },
    },
    services: Object.fromEntries(
      services.map((name) => [
        name,
        { rpc: { grpcPort: ports[name].grpc, membershipPort: ports[name].membership, bindOnLocalHost: true } },
      ]),
    ),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports.frontend.grpc}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '60s' },
  });
}
