import pg from 'pg';
import { connectionOptions } from '../database/connection-options.ts';
import { endClient } from '../database/end-client.ts';
import { keptAlive } from '../database/keep-alive.ts';
import type { Log } from '../shared/log.ts';

const firstDelayMs = 100;
const longestDelayMs = 5_000;

/**
 * Listens for notifications (LISTEN/NOTIFY) on a dedicated connection, and reconnects when it is lost. Notifications
 * may be missed while there is no connection, so every connection calls the handlers of all channels.
 */
export class Listener {
  readonly #options: { url: string; handlers: Record<string, () => void>; log: Log };
  readonly #connection: pg.ClientConfig;
  #client: pg.Client | null = null;
  #stopped = false;
  #delayMs = firstDelayMs;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { url: string; handlers: Record<string, () => void>; log: Log }) {
    this.#options = options;
    this.#connection = {
      ...connectionOptions(options.url, { application_name: 'webhook-gateway relay' }),
      ...keptAlive,
      connectionTimeoutMillis: 5_000,
    };
  }

  /** Starts to listen, and keeps reconnecting in the background while the database is unavailable. */
  start(): void {
    void this.#connect();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    if (this.#client) await endClient(this.#client);
  }

  async #connect(): Promise<void> {
    const { handlers, log } = this.#options;
    const client = new pg.Client(this.#connection);
    this.#client = client;
    let lost = false;
    const lose = (error?: Error) => {
      if (lost || this.#stopped) return;
      lost = true;
      log.warn({ err: error, againInMs: this.#delayMs }, 'connection for notifications lost, reconnecting');
      client.end().catch(() => undefined);
      this.#timer = setTimeout(() => void this.#connect(), this.#delayMs);
      this.#delayMs = Math.min(this.#delayMs * 2, longestDelayMs);
    };
    client.on('error', lose);
    client.on('end', () => lose());
    client.on('notification', ({ channel }) => handlers[channel]?.());
    try {
      await client.connect();
      for (const channel of Object.keys(handlers)) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      this.#delayMs = firstDelayMs;
      for (const handler of Object.values(handlers)) handler();
    } catch (error) {
      lose(error instanceof Error ? error : undefined);
    }
  }
}
