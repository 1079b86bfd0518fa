import net, { type LookupFunction } from 'node:net';
import tls from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { DeliveryFailure, describeFailedConnect, duration } from './failure.ts';
import { refuseLiteral } from './lookup.ts';

/**
 * The limit for DNS, TCP and TLS together. A host that takes longer is considered down. The limit also frees the socket
 * of a request that has already timed out, because undici does not report that to the connector.
 */
const connectTimeLimitMs = 10_000;

/**
 * Cached TLS sessions, about 2 KiB each. Resuming one avoids a full handshake with a consumer that is called rarely.
 */
const keptTlsSessions = 500;

export type Connector = {
  connect: buildConnector.connector;
  /** Whether this error ended a connection that had served an earlier request. */
  endedReusedConnection(error: Error): boolean;
  /** The connections that were established, and whether a request was sent on them: set by the caller. */
  connected: WeakMap<object, { used: boolean }>;
  /** Destroys the connections that are being established. */
  destroyPending(): void;
};

/**
 * Establishes connections for undici. It replaces undici's own connector for three reasons:
 *
 * - It checks an IP address in the URL, for which sockets do not call `lookup`.
 * - It knows the stage at which a connection fails.
 * - It knows whether a broken connection was a reused one.
 *
 * Every error passed to the callback is a DeliveryFailure.
 */
export function createConnector(lookup: LookupFunction, guard: AddressGuard): Connector {
  const pending = new Set<net.Socket>();
  const endedReused = new WeakSet<Error>();
  const connected = new WeakMap<object, { used: boolean }>();
  const sessions = new LRUCache<string, Buffer>({ max: keptTlsSessions });

  const open = (hostname: string, port: number, secure: boolean): net.Socket => {
    // Node tries several addresses (RFC 8305) when `lookup` returns all of them.
    const tcp = { host: hostname, port, lookup, autoSelectFamily: true };
    if (!secure) return net.connect(tcp);
    const key = `${hostname}:${port}`;
    // SNI allows no IP addresses and no final dot (RFC 6066, section 3). The certificate check accepts either name.
    const servername = net.isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '';
    const socket = tls.connect({ ...tcp, servername, session: sessions.get(key), ALPNProtocols: ['http/1.1'] });
    return socket.on('session', (session: Buffer) => sessions.set(key, session));
  };

  const connect: buildConnector.connector = ({ hostname, protocol, port }, callback) => {
    const refusal = net.isIP(hostname) === 0 ? null : refuseLiteral(hostname, guard);
    if (refusal) {
      // undici expects the callback to run after `connect` returns.
      queueMicrotask(() => callback(refusal, null));
      return;
    }
    const secure = protocol === 'https:';
    const portNumber = Number(port) || (secure ? 443 : 80);
    const peer = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${portNumber}`;
    const socket = open(hostname, portNumber, secure).setNoDelay(true);
    pending.add(socket);
    let tcpStands = false;
    const timer = setTimeout(() => {
      const text = `${peer} could not be connected to within ${duration(connectTimeLimitMs)}`;
      socket.destroy(new DeliveryFailure('timeout', text));
    }, connectTimeLimitMs);
    const settle = () => {
      clearTimeout(timer);
      return pending.delete(socket);
    };
    socket
      .once('connect', () => {
        tcpStands = true;
      })
      .once(secure ? 'secureConnect' : 'connect', () => {
        if (!settle()) return;
        connected.set(socket, { used: false });
        callback(null, socket);
      })
      .on('error', (error: Error) => {
        if (settle()) callback(describeFailedConnect(error, peer, tcpStands), null);
        else if (socket.bytesRead > 0) endedReused.add(error);
      })
      .once('close', () => {
        if (settle()) callback(new DeliveryFailure('connection_error', `connecting to ${peer} was given up`), null);
      });
  };

  return {
    connect,
    connected,
    endedReusedConnection: (error) => endedReused.has(error),
    destroyPending: () => {
      for (const socket of pending) socket.destroy();
    },
  };
}
