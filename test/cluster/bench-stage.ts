import { adminCalls } from '../bench/deliver/admin-calls.ts';
import type { BothEnds } from '../bench/deliver/both-ends.ts';
import { Tally } from '../bench/deliver/counted.ts';
import type { Stage } from '../bench/deliver/stage.ts';
import { adminToken } from '../bench/processes.ts';
import { Cluster, type ClusterOptions } from './cluster.ts';
import type { ClusterGround } from './ground.ts';

/** A stage of the benchmark whose gateway is a cluster. */
export interface ClusterStage extends Stage {
  cluster: Cluster;
  /** The URL of a database of the cluster for the superuser. */
  superuserUrl(database: string): string;
}

/** Starts a cluster with an empty database for a scenario of the benchmark. */
export async function openClusterStage(
  ground: ClusterGround,
  ends: BothEnds,
  options: ClusterOptions,
): Promise<ClusterStage> {
  const cluster = await Cluster.open(ground, {
    ...options,
    adminToken,
    environment: { LOG_LEVEL: 'warn', ...options.environment },
  });
  const { postgres } = cluster.servers;
  return {
    ends,
    cluster,
    gateway: {
      baseUrl: cluster.url,
      get pids() {
        return cluster.pids;
      },
      balancerPids: [cluster.balancer.pid],
      stop: async () => void (await cluster.close()),
    },
    metricsUrls: cluster.metricsUrls,
    tally: new Tally(),
    query: <Row extends object>(text: string) => postgres.query<Row>(text),
    superuserUrl: (database) =>
      Object.assign(new URL(ground.template.superuserUrl), { port: String(postgres.port), pathname: `/${database}` })
        .href,
    ...adminCalls(cluster.url, ends.consumerUrl),
    async close() {
      const left = await cluster.close();
      if (left.length > 0) throw new Error(left.join('; '));
    },
  };
}
