import type { TLSConfig } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';

/** A Temporal server and its credentials. */
export interface TemporalServer {
  /** host:port */
  address: string;
  apiKey: string | null;
  tls: TLSConfig | boolean;
  /** Headers for every call; none when absent. */
  metadata?: Record<string, string>;
}

export interface TemporalOptions extends TemporalServer {
  namespace: string;
  taskQueue: string;
}

/**
 * Connects to Temporal. The client and the worker share one native connection: eager workflow start, which returns a
 * workflow's first task with the response to the start, requires this.
 *
 * @throws TransportError when the server cannot be reached.
 */
export function connectTemporal(options: TemporalOptions): Promise<NativeConnection> {
  const { address, tls, metadata = {} } = options;
  const connection: NativeConnectionOptions = { address, tls, metadata };
  if (options.apiKey !== null) connection.apiKey = options.apiKey;
  return NativeConnection.connect(connection);
}

/** The connection to Temporal and the address of its Web UI. */
export interface TemporalAccess extends TemporalOptions {
  /** Origin of the Web UI, for links; null when it is unknown. */
  uiUrl: string | null;
}
