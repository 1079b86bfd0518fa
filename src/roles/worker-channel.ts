import type { ChildProcess } from 'node:child_process';
import type { MaintenanceSettings } from '../maintenance/settings.ts';
import type { Collected } from '../metrics/scrape.ts';
import type { NotificationSettings } from '../notifications/settings.ts';
import type { TemporalAccess } from '../temporal/connection.ts';
import type { TracingSettings } from '../tracing/settings.ts';
import type { DeliverySettings } from './delivery-settings.ts';

/**
 * What the worker process of `npm start` is told at its start. It is sent over the channel because it has secrets, which
 * other users could read in a command line.
 */
export interface WorkerSettings {
  databaseUrl: string;
  /** Whether the user chose this database, so that errors of its connection name DATABASE_URL. */
  databaseIsGiven: boolean;
  /** The keyring: the 32 bytes of each key. */
  keys: { current: Uint8Array; previous: Uint8Array | null };
  temporal: TemporalAccess;
  delivery: DeliverySettings;
  notifications: Omit<NotificationSettings, 'baseUrl'> & { baseUrl: string };
  maintenance: MaintenanceSettings;
  /** The folder of the cached workflow bundle; null: none. */
  cacheDir: string | null;
  logLevel: string;
  tracing: TracingSettings | null;
}

/** From `npm start` to its worker process. */
export type ToWorker =
  | { kind: 'start'; settings: WorkerSettings }
  /** The gateway listens: links in notifications begin with this URL. */
  | { kind: 'listening'; baseUrl: string }
  /** How many first attempts `npm start` makes per second. */
  | { kind: 'pace'; perSecond: number }
  /** Events only need their workflow now; `pending`: some of them need more attempts. */
  | { kind: 'moved'; pending: boolean }
  /** Answer with `measured` and the same number. */
  | { kind: 'measure'; number: number }
  /** Stop gracefully, and exit. */
  | { kind: 'stop' };

/** From the worker process to `npm start`. */
export type FromWorker =
  | { kind: 'started' }
  /** The start failed. `explained`: the message is for the user, as that of a StartError. */
  | { kind: 'start-failed'; error: Error; explained: boolean }
  /** The metrics of the worker process. */
  | { kind: 'measured'; number: number; collected: Collected };

/** One end of the channel between the two processes. Both run the same source, so their messages need no versions. */
export interface Channel<Sent> {
  /** Sends a message. It is lost when the other process has ended. */
  send(message: Sent): void;
}

/**
 * Opens an end of the channel.
 *
 * @param peer the worker process, or in it, the global `process`. The channel has to use advanced serialization, which
 *   keeps bytes and errors.
 */
export function openChannel<Sent extends { kind: string }, Received extends { kind: string }>(
  peer: ChildProcess | NodeJS.Process,
  receive: (message: Received) => void,
): Channel<Sent> {
  const onMessage = (message: unknown) => {
    if (isMessage<Received>(message)) receive(message);
  };
  // Node's types have no common signature of the two.
  if (peer === process) process.on('message', onMessage);
  else peer.on('message', onMessage);
  return {
    send(message) {
      // The callback takes the error of a channel that is closed, which would otherwise be thrown as an event.
      peer.send?.(message, undefined, undefined, () => undefined);
    },
  };
}

/** Node's own messages on the channel have no `kind`. */
function isMessage<T extends { kind: string }>(message: unknown): message is T {
  return typeof message === 'object' && message !== null && 'kind' in message && typeof message.kind === 'string';
}
