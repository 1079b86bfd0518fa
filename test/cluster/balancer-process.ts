import { offer } from '../bench/calls.ts';
import { Balancer, type BalancerCounts } from './balancer.ts';

/** A balancer as a process of its own, so that it shares no event loop with what measures the cluster. */
const balancer = new Balancer([]);

const calls = {
  /** Listens on `port`, or on any free one if it is 0. Returns the port. */
  listen: ({ port }: { port: number }): Promise<number> => balancer.listen(port),
  /** Replaces the backends, and resolves when they have been checked. */
  use: ({ ports }: { ports: readonly number[] }): Promise<void> => balancer.use(ports),
  counts: (): BalancerCounts => balancer.counts,
};

export type BalancerCalls = typeof calls;
offer(calls);
