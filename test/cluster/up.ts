import { isPortFree } from '../../src/embedded/ports.ts';
import { Cluster } from './cluster.ts';
import type { ClusterGround } from './ground.ts';
import type { ClusterCommand } from './options.ts';

/** Starts the cluster for people to try, prints its addresses, and stops it when `stopped` is aborted. */
export async function runUp(
  ground: ClusterGround,
  { apis, workers, port, nginx }: Pick<ClusterCommand, 'apis' | 'workers' | 'port' | 'nginx'>,
  stopped: AbortSignal,
): Promise<string[]> {
  const cluster = await Cluster.open(ground, { apis, workers, nginx, port: (await isPortFree(port)) ? port : 0 });
  const { postgres, temporal } = cluster.servers;
  const address = (role: { port: number }) => `127.0.0.1:${role.port}`;
  console.log(`
  Gateway      ${cluster.url} (the balancer)
  Admin token  ${cluster.adminToken}
  Console      ${cluster.url}/dashboard
  api          ${cluster.roles('api').map(address).join(', ')}
  worker       ${cluster.roles('worker').length} processes
  Temporal     127.0.0.1:${temporal.port} (gRPC, without a Web UI)
  PostgreSQL   ${postgres.urlBy(postgres.port)}
  Logs         ${cluster.logs}

The data is removed at the end. Ctrl-C stops everything.`);
  await new Promise<void>((resolve) => {
    if (stopped.aborted) resolve();
    else stopped.addEventListener('abort', () => resolve(), { once: true });
  });
  console.log('Stopping …');
  return cluster.close();
}
