import { BenchProcess } from '../bench/calls.ts';
import type { BalancerCalls } from './balancer-process.ts';
import { startNginx } from './nginx.ts';

/** What a cluster has before its apis, in a process of its own. */
export interface ClusterBalancer {
  readonly pid: number;
  readonly port: number;
  /** Replaces the apis, and resolves when requests go to the new ones. */
  use(ports: readonly number[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the balancer of a cluster.
 *
 * @param options `nginx`: the program that takes the place of the test's balancer, with docker/nginx/nginx.conf; `port`: 0
 *   for any free one
 */
export async function startBalancer(options: {
  nginx: string | null;
  folder: string;
  port: number;
}): Promise<ClusterBalancer> {
  if (options.nginx !== null) return startNginx({ ...options, program: options.nginx });
  const balancer = new BenchProcess<BalancerCalls>('../cluster/balancer-process.ts');
  const port = await balancer.call('listen', { port: options.port });
  return {
    pid: balancer.pid,
    port,
    use: (ports) => balancer.call('use', { ports }),
    stop: () => balancer.stop(),
  };
}
