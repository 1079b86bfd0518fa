import type { TLSConfig } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';

/** A Temporal server, and what it takes to be let in. */
export interface TemporalServer {
  /** host:port */
  address: string;
  apiKey: string | null;
  tls: TLSConfig | boolean;
  /** Headers of every call; none when absent. */
  metadata?: Record<string, string>;
}

export interface TemporalOptions extends TemporalServer {
  namespace: string;
  taskQueue: string;
}

/**
 * Connects to Temporal. One native connection serves the client and the worker: only so can a started workflow's first
 * task be handed over with the answer (eager start).
 *
 * @throws TransportError while the server cannot be reached.
 */
export function connectTemporal(options: TemporalOptions): Promise<NativeConnection> {
  const { address, tls, metadata = {} } = options;
  const connection: NativeConnectionOptions = { address, tls, metadata };
  if (options.apiKey !== null) connection.apiKey = options.apiKey;
  return NativeConnection.connect(connection);
}

/** How to reach Temporal. */
export interface TemporalAccess extends TemporalOptions {
  /** Origin of the Web UI, for links; null when there is none to link to. */
  uiUrl: string | null;
}
