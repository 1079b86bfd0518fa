import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import type { TlsSettings } from '../../shared/tls/settings.ts';
import type { Connector } from './connector.ts';

/** Pools for consumers with TLS settings of their own. One beyond closes that which was not used for longest. */
const maxPools = 500;
/** Longer than the longest delay between two requests of a busy consumer. A rare one begins with a new handshake anyway. */
const unusedMs = 60_000;

/**
 * The connection pools of a sender: one for all consumers without TLS settings, and one for each combination of them. A
 * pool that no consumer uses any more is closed a minute after its last request.
 */
export class Pools {
  readonly #connector: Connector;
  readonly #connections: number | null;
  readonly #usual: Agent;
  readonly #others = new LRUCache<string, Agent>({
    ...{ max: maxPools, ttl: unusedMs, updateAgeOnGet: true, ttlAutopurge: true },
    // Requests in flight end first.
    dispose: (agent) => void agent.close().catch(() => undefined),
  });

  /** @param connections the most connections to one scheme, host and port; null: no limit. */
  constructor(connector: Connector, connections: number | null) {
    this.#connector = connector;
    this.#connections = connections;
    this.#usual = this.#open(null);
  }

  /** How many pools for TLS settings are open. */
  get size(): number {
    return this.#others.size;
  }

  /** @throws Error when OpenSSL refuses the settings. */
  of(settings: TlsSettings | null): Agent {
    if (settings === null) return this.#usual;
    const open = this.#others.get(settings.key);
    if (open) return open;
    const agent = this.#open(settings);
    this.#others.set(settings.key, agent);
    return agent;
  }

  /** Closes all connections, those in use, too. */
  async destroy(): Promise<void> {
    const agents = [this.#usual, ...this.#others.values()];
    this.#others.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #open(settings: TlsSettings | null): Agent {
    return new Agent({
      connect: this.#connector.with(settings),
      connections: this.#connections,
      pipelining: 1,
      allowH2: false,
      // Consumers may request a longer time, but idle connections to thousands of consumers need memory.
      keepAliveMaxTimeout: 60_000,
      // Disabled, because the exchange's own timer covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}
