import { Connection, isGrpcDeadlineError, isGrpcServiceError, type TLSConfig } from '@temporalio/client';
import { systemAuthorities } from '../shared/tls/authorities.ts';
import type { TemporalServer } from './connection.ts';

/** Short, so that calls succeed soon after an outage. */
const longestReconnectMs = 2_000;

/**
 * A connection to Temporal for operators' requests. It connects at the first call. Failed calls are not retried: the
 * operator can repeat the request, and no retry is pending when the connection is closed.
 */
export function connectLazily(options: TemporalServer): Connection {
  return Connection.lazy({
    address: options.address,
    tls: withAuthorities(options.tls),
    metadata: options.metadata ?? {},
    interceptors: [],
    channelArgs: {
      // gRPC would use the environment's proxy even for a loopback address.
      'grpc.enable_http_proxy': 0,
      'grpc.max_reconnect_backoff_ms': longestReconnectMs,
    },
    ...(options.apiKey === null ? {} : { apiKey: options.apiKey }),
  });
}

/**
 * Adds the machine's authorities, which the worker's native client trusts. This client only knows Node's bundled ones.
 */
function withAuthorities(tls: TLSConfig | boolean): TLSConfig | false {
  if (tls === false) return false;
  const config = tls === true ? {} : tls;
  if (config.serverRootCACertificate !== undefined) return config;
  return { ...config, serverRootCACertificate: Buffer.from(systemAuthorities().join('\n')) };
}

/** UNAVAILABLE, CANCELLED and DEADLINE_EXCEEDED of gRPC: what calls end with while a server is down, stops or hangs. */
const awayCodes: ReadonlySet<number> = new Set([14, 1, 4]);

/** Whether Temporal gave no answer to a call, as opposed to one that it has refused. */
export function gaveNoAnswer(error: unknown): boolean {
  const refused = [error, error instanceof Error ? error.cause : null].find(isGrpcServiceError);
  return refused ? awayCodes.has(refused.code) : saysThatItIsAway(error);
}

/** Whether a call failed because Temporal cannot be reached, did not respond in time, or refuses all calls. */
export function saysThatItIsAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/deadline|connect/i.test(error.message)) return true;
  return isGrpcServiceError(error) || isGrpcServiceError(error.cause) || isGrpcDeadlineError(error);
}
