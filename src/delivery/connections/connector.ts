import type { LookupAddress } from 'node:dns';
import net, { type LookupFunction } from 'node:net';
import tls from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import type { TlsSettings } from '../../shared/tls/settings.ts';
import { DeliveryFailure, describeFailedConnect, duration } from '../failure.ts';
import type { AddressGuard } from './address-guard.ts';
import { refuseLiteral } from './lookup.ts';
import type { Tunnels } from './proxy.ts';

/**
 * The limit for DNS, proxy, TCP and TLS together. A host that takes longer is considered down. The limit also frees the
 * socket of a request that has already timed out, because undici does not report that to the connector.
 */
const connectTimeLimitMs = 10_000;

/**
 * How long an address has to accept the connection before the next one is tried. Node gives the attempt up then (it does not
 * race the two, as RFC 8305 says), so this is the longest handshake with a consumer that also has an address which cannot
 * be reached, as those with IPv6 are from most containers. Long enough for a lost packet, which is sent again after 1 s; Node's
 * own 250 ms are less than a round trip to the other side of the world (https://github.com/nodejs/node/issues/54359).
 */
const addressTimeLimitMs = 2_000;

/** Hosts of which it is kept which address has accepted the last connection. */
const keptAddresses = 1_000;

/**
 * Cached TLS sessions, about 2 KiB each. Resuming one avoids a full handshake with a consumer that is called rarely.
 */
const keptTlsSessions = 500;

export type Connector = {
  /** A connector for undici that establishes TLS with these settings. */
  with(settings: TlsSettings | null): buildConnector.connector;
  /** Whether this error ended a connection that had served an earlier request. */
  endedReusedConnection(error: Error): boolean;
  /** The connections that were established, and whether a request was sent on them: set by the caller. */
  connected: WeakMap<object, { used: boolean }>;
  /** Destroys the connections that are being established. */
  destroyPending(): void;
};

/** A connection that is being established. */
interface Connecting {
  peer: string;
  secure: boolean;
  signal: AbortSignal;
  /** Waits for a socket that is connecting. With `stands`, TCP is established already. */
  watch(socket: net.Socket, stands: boolean): void;
  fail(error: Error): void;
}

/**
 * Establishes connections for undici. It replaces undici's own connector for these reasons:
 *
 * - It checks an IP address in the URL, for which sockets do not call `lookup`.
 * - Through a proxy, too, it connects to the address that it has checked.
 * - It knows the stage at which a connection fails.
 * - It knows whether a broken connection was a reused one.
 *
 * Every error passed to the callback is a DeliveryFailure.
 */
export function createConnector(
  lookup: LookupFunction,
  guard: AddressGuard,
  tunnels: Tunnels | null = null,
): Connector {
  const pending = new Set<AbortController>();
  const endedReused = new WeakSet<Error>();
  const connected = new WeakMap<object, { used: boolean }>();
  const accepted = new LRUCache<string, string>({ max: keptAddresses });
  /** The address that has accepted the last connection comes first, so that one that cannot be reached costs its limit once. */
  const acceptedFirst: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const isLast = (one: LookupAddress) => Number(one.address === accepted.get(hostname));
      callback(error, Array.isArray(found) ? found.toSorted((a, b) => isLast(b) - isLast(a)) : found, family);
    });

  const begin = (peer: string, secure: boolean, callback: buildConnector.Callback): Connecting => {
    const giveUp = new AbortController();
    pending.add(giveUp);
    const timeOut = () => {
      if (!pending.has(giveUp)) return;
      const text = `${peer} could not be connected to within ${duration(connectTimeLimitMs)}`;
      fail(new DeliveryFailure('timeout', text));
      giveUp.abort();
    };
    // When this process was stopped or busy, the connection may stand already. Node reads the sockets before `setImmediate`.
    const timer = setTimeout(() => setImmediate(timeOut), connectTimeLimitMs);
    const settle = () => {
      clearTimeout(timer);
      return pending.delete(giveUp);
    };
    const fail = (error: Error) => {
      if (settle()) callback(error, null);
    };
    const watch = (socket: net.Socket, stands: boolean) => {
      let tcpStands = stands;
      let bytesBefore = 0;
      const done = () => {
        if (!settle()) return;
        // Through a proxy, the answer to CONNECT was read already.
        bytesBefore = socket.bytesRead;
        connected.set(socket, { used: false });
        callback(null, socket);
      };
      giveUp.signal.addEventListener('abort', () => socket.destroy(), { once: true });
      socket
        .setNoDelay(true)
        .once('connect', () => {
          tcpStands = true;
        })
        .on('error', (error: Error) => {
          if (settle()) callback(describeFailedConnect(error, peer, tcpStands), null);
          else if (socket.bytesRead > bytesBefore) endedReused.add(error);
        })
        .once('close', () => fail(new DeliveryFailure('connection_error', `connecting to ${peer} was given up`)));
      if (stands && !secure) done();
      else socket.once(secure ? 'secureConnect' : 'connect', done);
    };
    return { peer, secure, signal: giveUp.signal, watch, fail };
  };

  const withSettings = (settings: TlsSettings | null): buildConnector.connector => {
    const sessions = new LRUCache<string, Buffer>({ max: keptTlsSessions });
    const secureContext = settings === null ? undefined : contextOf(settings);
    const secured = (to: tls.ConnectionOptions, hostname: string, port: number): net.Socket => {
      const key = `${hostname}:${port}`;
      // SNI allows no IP addresses and no final dot (RFC 6066, section 3). The certificate check accepts either name.
      const servername = net.isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '';
      const socket = tls.connect({
        ...{ ...to, host: hostname, servername, session: sessions.get(key), ALPNProtocols: ['http/1.1'] },
        ...(secureContext && { secureContext }),
      });
      return socket.on('session', (session: Buffer) => sessions.set(key, session));
    };
    const direct = (connecting: Connecting, hostname: string, port: number) => {
      // Node tries several addresses when `lookup` returns all of them.
      const tcp = {
        ...{ host: hostname, port, lookup: acceptedFirst },
        ...{ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: addressTimeLimitMs },
      };
      const socket = connecting.secure ? secured(tcp, hostname, port) : net.connect(tcp);
      socket.once('connect', () => accepted.set(hostname, socket.remoteAddress ?? ''));
      connecting.watch(socket, false);
    };
    const throughProxy = async (connecting: Connecting, hostname: string, port: number, through: Tunnels) => {
      const addresses = await addressesOf(hostname, lookup);
      connecting.signal.throwIfAborted();
      if (!through.isFor(hostname, addresses)) return direct(connecting, hostname, port);
      const socket = await through.open(addresses, port, connecting.signal);
      connecting.watch(connecting.secure ? secured({ socket }, hostname, port) : socket, true);
      if (connecting.signal.aborted) socket.destroy();
    };
    return ({ hostname, protocol, port }, callback) => {
      const refusal = net.isIP(hostname) === 0 ? null : refuseLiteral(hostname, guard);
      if (refusal) {
        // undici expects the callback to run after `connect` returns.
        queueMicrotask(() => callback(refusal, null));
        return;
      }
      const secure = protocol === 'https:';
      const portNumber = Number(port) || (secure ? 443 : 80);
      const peer = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${portNumber}`;
      const connecting = begin(peer, secure, callback);
      if (tunnels === null) direct(connecting, hostname, portNumber);
      else
        throughProxy(connecting, hostname, portNumber, tunnels).catch((error) =>
          connecting.fail(knownFailure(error, peer)),
        );
    };
  };

  return {
    with: withSettings,
    connected,
    endedReusedConnection: (error) => endedReused.has(error),
    destroyPending: () => {
      for (const one of pending) one.abort();
    },
  };
}

/** An aborted CONNECT has no reason of its own. */
const knownFailure = (error: unknown, peer: string): DeliveryFailure =>
  error instanceof DeliveryFailure
    ? error
    : new DeliveryFailure('connection_error', `connecting to ${peer} was given up`);

const contextOf = ({ ca, certificate, privateKey }: TlsSettings): tls.SecureContext =>
  tls.createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { cert: certificate, key: privateKey }),
  });

/** The addresses of a host, checked by the guard. */
const addressesOf = (hostname: string, lookup: LookupFunction): Promise<string[]> =>
  net.isIP(hostname) !== 0
    ? Promise.resolve([hostname])
    : new Promise((resolve, reject) => {
        lookup(hostname, { all: true }, (error, found) => {
          if (error) reject(error);
          else resolve(Array.isArray(found) ? found.map(({ address }) => address) : [found]);
        });
      });
