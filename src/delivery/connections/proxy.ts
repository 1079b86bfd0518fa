import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, isIPv6, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { decoded } from '../../shared/text.ts';
import { DeliveryFailure, reasonOf } from '../failure.ts';
import { createNetworks } from './address-guard.ts';

/** The settings of a proxy: DELIVERY_PROXY and DELIVERY_NO_PROXY. */
export interface ProxySettings {
  /** An http: or https: URL, with a user and password if the proxy wants some. */
  url: string;
  /** Host names, addresses and CIDRs that are connected to without the proxy. */
  except: readonly string[];
}

/** What is wrong with a DELIVERY_PROXY, as in "must be …"; null if nothing is. */
export function deliveryProxyMistake(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url !== null && url.pathname === '/' && url.search === '' && url.hash === '';
  return isPlain && /^https?:$/.test(url.protocol)
    ? null
    : 'must be the http: or https: URL of a proxy, such as http://proxy.example:3128, without a path';
}

/** What is wrong with a part of DELIVERY_NO_PROXY; null if nothing is. */
export const noProxyMistake = (part: string): string | null =>
  isNetwork(part) || /^\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/.test(part)
    ? null
    : 'is no host name, address or CIDR, such as intern.example or 10.0.0.0/8';

const isNetwork = (entry: string) => isIP(entry) !== 0 || ipaddr.isValidCIDR(entry);

/** A proxy for connections to consumers. */
export interface Tunnels {
  /** Whether a host is connected to through the proxy, by its name and the addresses to which it resolves. */
  isFor(hostname: string, addresses: readonly string[]): boolean;
  /**
   * Opens a connection through the proxy (CONNECT: RFC 9110, section 9.3.6) to the first of the addresses that it reaches.
   *
   * @throws DeliveryFailure `proxy_error`; another error when `signal` is aborted.
   */
  open(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket>;
}

/** @throws Error when the settings were not checked: see src/config/. */
export function createTunnels({ url, except }: ProxySettings): Tunnels {
  const proxy = new URL(url);
  const networks = createNetworks(except.filter(isNetwork).map(toCidr));
  const names = except.filter((entry) => !isNetwork(entry)).map(comparable);
  return {
    isFor: (hostname, addresses) =>
      !names.some((name) => isOrIsBelow(comparable(hostname), name)) &&
      !addresses.every((address) => networks(address)),
    async open(addresses, port, signal) {
      let failure: unknown;
      for (const address of addresses) {
        try {
          return await tunnel(proxy, `${isIPv6(address) ? `[${address}]` : address}:${port}`, signal);
        } catch (error) {
          // Another address helps only if the proxy itself answers, and could not reach this one.
          if (!(error instanceof Unreached)) throw error;
          failure = error;
        }
      }
      throw failure;
    },
  };
}

/** The proxy answered that it cannot reach the address. */
class Unreached extends DeliveryFailure {}

const toCidr = (entry: string) => (ipaddr.isValidCIDR(entry) ? entry : `${entry}/${isIPv6(entry) ? 128 : 32}`);

const comparable = (name: string) => name.toLowerCase().replace(/^\.|\.$/g, '');
const isOrIsBelow = (hostname: string, name: string) => hostname === name || hostname.endsWith(`.${name}`);

function tunnel(proxy: URL, authority: string, signal: AbortSignal): Promise<Socket> {
  const peer = `the proxy ${proxy.host}`;
  const { username, password } = proxy;
  const pair = `${decoded(username)}:${decoded(password)}`;
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const request: ClientRequest = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    ...{ host, port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80) },
    // Node would take it from the header `host`, which names the consumer.
    ...(proxy.protocol === 'https:' && { servername: isIP(host) === 0 ? host : '' }),
    ...{ method: 'CONNECT', path: authority, agent: false, signal },
    headers: {
      host: authority,
      ...(pair !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` }),
    },
  });
  return new Promise((resolve, reject) => {
    request
      .once('connect', ({ statusCode = 0, statusMessage }: IncomingMessage, socket: Socket, head: Buffer) => {
        if (statusCode >= 200 && statusCode <= 299) {
          if (head.length > 0) socket.unshift(head);
          return resolve(socket);
        }
        socket.destroy();
        const text = `${peer} answered ${statusCode} ${statusMessage} for ${authority}`.replace(/[^\x20-\x7e]/g, '');
        reject(new (statusCode >= 500 ? Unreached : DeliveryFailure)('proxy_error', text));
      })
      .once('response', ({ statusCode }: IncomingMessage) => {
        request.destroy();
        reject(new DeliveryFailure('proxy_error', `${peer} answered ${statusCode} without opening a connection`));
      })
      .once('error', (error: Error) =>
        reject(signal.aborted ? error : new DeliveryFailure('proxy_error', `${peer} failed: ${reasonOf(error)}`)),
      )
      .end();
  });
}
