import {
  Connection,
  defaultGrpcRetryOptions,
  isGrpcDeadlineError,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
  type TLSConfig,
} from '@temporalio/client';
import { systemAuthorities } from '../shared/tls/authorities.ts';
import type { TemporalServer } from './connection.ts';

/** Short, so that calls succeed soon after an outage. */
const longestReconnectMs = 2_000;

/** The gRPC status code RESOURCE_EXHAUSTED. */
const busyCode = 8;
/** About 15 seconds together, for calls without a deadline. */
const longestTries = 20;

/**
 * Repeats the calls that Temporal refuses because it is busy, until their deadline. It answers one query of a schedule
 * at a time and keeps few waiting, so that some requests at once are enough: "consistent query buffer is full".
 */
const retryWhileBusy = makeGrpcRetryInterceptor({
  ...defaultGrpcRetryOptions({ initialIntervalMs: () => 100, maxIntervalMs: () => 1_000 }),
  retryableDecider: (attempt, { code }) => code === busyCode && attempt < longestTries,
});

/**
 * A connection to Temporal for operators' requests. It connects at the first call. Only calls that Temporal is too busy
 * for are retried: after any other failure the operator can repeat the request.
 */
export function connectLazily(options: TemporalServer): Connection {
  return Connection.lazy({
    address: options.address,
    tls: withAuthorities(options.tls),
    metadata: options.metadata ?? {},
    interceptors: [retryWhileBusy],
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

/** Whether a call failed because Temporal cannot be reached or did not respond in time. */
export function saysThatItIsAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/deadline|connect/i.test(error.message)) return true;
  return isGrpcServiceError(error) || isGrpcServiceError(error.cause) || isGrpcDeadlineError(error);
}
