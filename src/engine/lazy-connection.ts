import { Connection } from '@temporalio/client';

/** After an outage the next question may be answered again. */
const longestReconnectMs = 2_000;

/**
 * A connection to Temporal for people's questions alone. It begins with the first one, and a call that fails has failed:
 * whoever asked can ask again, and no retry is left behind when the connection is closed.
 */
export function connectLazily(options: { address: string; apiKey: string | null; tls: boolean }): Connection {
  return Connection.lazy({
    address: options.address,
    tls: options.tls,
    interceptors: [],
    channelArgs: {
      // gRPC would take a loopback address through the proxy of the environment.
      'grpc.enable_http_proxy': 0,
      'grpc.max_reconnect_backoff_ms': longestReconnectMs,
    },
    ...(options.apiKey === null ? {} : { apiKey: options.apiKey }),
  });
}
