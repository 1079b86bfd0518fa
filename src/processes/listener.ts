import pg from 'pg';
import { applicationName } from '../database/application-name.ts';
import { connectionOptions } from '../database/connection-options.ts';
import { endClient } from '../database/end-client.ts';
import { keptAlive } from '../database/keep-alive.ts';
import type { Sql } from '../database/sql.ts';
import type { Log } from '../shared/log.ts';

const firstDelayMs = 100;
/** With the time limit of a connection, less than the grace after which claims are taken over (heartbeat.ts). */
const longestDelayMs = 500;
const connectLimitMs = 2_000;
/** When a statement on this connection is given up. The connection is then replaced. */
export const queryLimitMs = 5_000;

/** What uses the connection in addition to the notifications. */
export interface SessionUser {
  /**
   * Called after each connection. A statement that fails on `sql` ends the connection.
   */
  opened(sql: Sql): Promise<void>;
  /** Called when a connection is lost that `opened` was called for. */
  lost(): void;
}

/**
 * Listens for notifications (LISTEN/NOTIFY) on a dedicated connection, and reconnects when it is lost. Notifications
 * may be missed while there is no connection, so every connection calls the handlers of all channels, with an empty
 * payload.
 */
export class Listener {
  readonly #options: { url: string; handlers: Record<string, (payload: string) => void>; user?: SessionUser; log: Log };
  readonly #connection: pg.ClientConfig;
  #client: pg.Client | null = null;
  #stopped = false;
  #delayMs = firstDelayMs;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    url: string;
    handlers: Record<string, (payload: string) => void>;
    user?: SessionUser;
    log: Log;
  }) {
    this.#options = options;
    this.#connection = {
      ...connectionOptions(options.url, { application_name: applicationName(' relay') }),
      ...keptAlive,
      connectionTimeoutMillis: connectLimitMs,
      query_timeout: queryLimitMs,
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
    const { handlers, user, log } = this.#options;
    const client = new pg.Client(this.#connection);
    this.#client = client;
    let lost = false;
    let opened = false;
    const lose = (error?: Error) => {
      if (lost || this.#stopped) return;
      lost = true;
      log.warn({ err: error, againInMs: this.#delayMs }, 'connection for notifications lost, reconnecting');
      client.end().catch(() => undefined);
      if (opened) user?.lost();
      this.#timer = setTimeout(() => void this.#connect(), this.#delayMs);
      this.#delayMs = Math.min(this.#delayMs * 2, longestDelayMs);
    };
    client.on('error', lose);
    client.on('end', () => lose());
    client.on('notification', ({ channel, payload }) => handlers[channel]?.(payload ?? ''));
    try {
      await client.connect();
      for (const channel of Object.keys(handlers)) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      opened = true;
      await user?.opened(statementsOn(client, lose));
      this.#delayMs = firstDelayMs;
      for (const handler of Object.values(handlers)) handler('');
    } catch (error) {
      lose(error instanceof Error ? error : undefined);
    }
  }
}

/** Statements on a connection that is lost when one of them fails. */
function statementsOn(client: pg.Client, lose: (error: Error) => void): Sql {
  return {
    async query<Row extends pg.QueryResultRow>({ name, text }: { name: string; text: string }, values: unknown[]) {
      try {
        return (await client.query<Row>({ name, text, values })).rows;
      } catch (error) {
        lose(error instanceof Error ? error : new Error(String(error)));
        throw error;
      }
    },
  };
}
