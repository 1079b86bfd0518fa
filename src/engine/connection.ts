import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';

export interface TemporalOptions {
  address: string;
  namespace: string;
  taskQueue: string;
  apiKey: string | null;
  tls: boolean;
}

/**
 * Connects to Temporal. One native connection serves the client and the worker: only so can a started workflow's first
 * task be handed over with the answer (eager start).
 *
 * @throws TransportError while the server cannot be reached.
 */
export function connectTemporal(options: TemporalOptions): Promise<NativeConnection> {
  const connection: NativeConnectionOptions = { address: options.address, tls: options.tls };
  if (options.apiKey !== null) connection.apiKey = options.apiKey;
  return NativeConnection.connect(connection);
}
