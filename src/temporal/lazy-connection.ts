import { Connection, isGrpcDeadlineError, isGrpcServiceError, type TLSConfig } from '@temporalio/client';
import { systemAuthorities } from '../shared/tls/authorities.ts';
import type { TemporalServer } from './connection.ts';

/** After an outage the next question may be answered again. */
const longestReconnectMs = 2_000;

/**
 * A connection to Temporal for people's questions alone. It begins with the first one, and a call that fails has failed:
 * whoever asked can ask again, and no retry is left behind when the connection is closed.
 */
export function connectLazily(options: TemporalServer): Connection {
  return Connection.lazy({
    address: options.address,
    tls: withAuthorities(options.tls),
    metadata: options.metadata ?? {},
    interceptors: [],
    channelArgs: {
      // gRPC would take a loopback address through the proxy of the environment.
      'grpc.enable_http_proxy': 0,
      'grpc.max_reconnect_backoff_ms': longestReconnectMs,
    },
    ...(options.apiKey === null ? {} : { apiKey: options.apiKey }),
  });
}

/** This client knows only the authorities that Node brings along; the worker's trusts those of the machine, and so both do. */
function withAuthorities(tls: TLSConfig | boolean): TLSConfig | false {
  if (tls === false) return false;
  const config = tls === true ? {} : tls;
  if (config.serverRootCACertificate !== undefined) return config;
  return { ...config, serverRootCACertificate: Buffer.from(systemAuthorities().join('\n')) };
}

/** Whether a question failed because Temporal cannot be reached, or did not answer in time. */
export function saysThatItIsAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/deadline|connect/i.test(error.message)) return true;
  return isGrpcServiceError(error) || isGrpcServiceError(error.cause) || isGrpcDeadlineError(error);
}
