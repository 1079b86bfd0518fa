import net, { type LookupFunction } from 'node:net';
import tls from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { DeliveryFailure, describeFailedConnect, duration } from './failure.ts';
import { refuseLiteral } from './lookup.ts';

/**
 * DNS, TCP and TLS together. A host that takes longer is down; the limit frees the socket of a request that was given
 * up earlier, which cannot be told here.
 */
const connectTimeLimitMs = 10_000;

/** Resumed TLS sessions spare a consumer that is called rarely a full handshake. A session is about 2 KiB. */
const keptTlsSessions = 500;

export type Connector = {
  connect: buildConnector.connector;
  /** Whether this error ended a connection that had served an earlier request. */
  endedReusedConnection(error: Error): boolean;
  /** Ends the connections that are being made. */
  destroyPending(): void;
};

/**
 * Makes connections for undici. Its own connector would do but for three things: an IP address in the URL is judged here
 * (sockets ask no `lookup` about it), the stage at which a connection fails is known here, and so is whether a broken
 * connection was a reused one. Every error handed to the callback is a DeliveryFailure.
 */
export function createConnector(lookup: LookupFunction, guard: AddressGuard): Connector {
  const pending = new Set<net.Socket>();
  const endedReused = new WeakSet<Error>();
  const sessions = new LRUCache<string, Buffer>({ max: keptTlsSessions });

  const open = (hostname: string, port: number, secure: boolean): net.Socket => {
    // Node tries several addresses in turn (RFC 8305) when it is given all.
    const tcp = { host: hostname, port, lookup, autoSelectFamily: true };
    if (!secure) return net.connect(tcp);
    const key = `${hostname}:${port}`;
    // SNI takes no IP addresses (RFC 6066 section 3) and no final dot; the certificate is checked against either.
    const servername = net.isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '';
    const socket = tls.connect({ ...tcp, servername, session: sessions.get(key), ALPNProtocols: ['http/1.1'] });
    return socket.on('session', (session: Buffer) => sessions.set(key, session));
  };

  const connect: buildConnector.connector = ({ hostname, protocol, port }, callback) => {
    const refusal = net.isIP(hostname) === 0 ? null : refuseLiteral(hostname, guard);
    if (refusal) {
      // undici expects an answer after the call, never within it.
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
        if (settle()) callback(null, socket);
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
    endedReusedConnection: (error) => endedReused.has(error),
    destroyPending: () => {
      for (const socket of pending) socket.destroy();
    },
  };
}
