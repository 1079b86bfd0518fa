import type { Agent } from 'undici';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { createAddressGuard } from './connections/address-guard.ts';
import { createConnector } from './connections/connector.ts';
import { countRequests } from './connections/count-requests.ts';
import { createGuardedLookup, type Lookup, systemLookup } from './connections/lookup.ts';
import { Pools } from './connections/pools.ts';
import { createTunnels, type ProxySettings } from './connections/proxy.ts';
import { Exchange, failedResult, notConnected, type SendRequest, type SendResult } from './exchange.ts';
import { codeOf, DeliveryFailure } from './failure.ts';
import { parseTarget } from './target.ts';

export type Sender = {
  /** Makes one POST. Never rejects: every failure is an outcome. */
  post(request: SendRequest): Promise<SendResult>;
  /** Waits for the requests in flight, then closes all connections. */
  close(): Promise<void>;
};

export type SenderOptions = {
  /** CIDRs of networks that are allowed although they are not public. */
  allowedNetworks: readonly string[];
  /**
   * The most connections to one scheme, host and port; unlimited by default. A request that waits for a connection uses
   * up its time limit, and accounts that share a host would wait for each other. Callers limit the requests per
   * account.
   */
  connectionsPerOrigin?: number;
  /** The proxy for all requests; none by default. */
  proxy?: ProxySettings | null;
  lookup?: Lookup;
  /** Counts the requests; nothing by default. */
  metrics?: Pick<Metrics, 'requestSent'>;
};

/**
 * Creates the HTTP client that delivers events. Idle connections are kept for 4 s, undici's default, because servers
 * usually keep them for at least 5 s. It uses HTTP/1.1 with one request per connection at a time, so that a slow
 * response delays no other request.
 *
 * @throws Error when an entry of `allowedNetworks` is not a CIDR
 */
export function createSender(options: SenderOptions): Sender {
  const { allowedNetworks, connectionsPerOrigin = null, proxy = null, lookup = systemLookup, metrics } = options;
  const guard = createAddressGuard(allowedNetworks);
  const connector = createConnector(createGuardedLookup(lookup, guard), guard, proxy && createTunnels(proxy));
  const stopCounting = metrics ? countRequests(connector.connected, metrics.requestSent) : () => undefined;
  const pools = new Pools(connector, connectionsPerOrigin);
  const inFlight = new Set<Promise<SendResult>>();

  return {
    post(request) {
      const target = parseTarget(request.url);
      if (!target.ok)
        return Promise.resolve(failedResult(new DeliveryFailure('invalid_url', target.error), notConnected));
      let agent: Agent;
      try {
        agent = pools.of(request.tls ?? null);
      } catch (error) {
        const text = `the certificates of the consumer cannot be used: ${codeOf(error) ?? 'unknown reason'}`;
        return Promise.resolve(failedResult(new DeliveryFailure('tls_error', text), notConnected));
      }
      const result = new Promise<SendResult>((resolve) => {
        new Exchange(agent, target, request, connector.endedReusedConnection, resolve).dispatch();
      });
      inFlight.add(result);
      result.finally(() => inFlight.delete(result));
      return result;
    },
    async close() {
      await Promise.all(inFlight);
      connector.destroyPending();
      await pools.destroy();
      stopCounting();
    },
  };
}
