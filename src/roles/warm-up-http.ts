import pLimit from 'p-limit';
import type pg from 'pg';
import { Pool } from 'undici';
import { v7 as uuidv7 } from 'uuid';
import { type ApiParts, composeApi } from '../api/compose-api.ts';
import type { Sql, Statement } from '../database/sql.ts';
import { type HttpServer, serve } from '../http/serve.ts';
import { createLog, type Log } from '../shared/log.ts';
import { unmeasured } from '../telemetry/metrics/metrics.ts';
import { addAccount, undone, unusedSlug } from './undone.ts';

/** Enough that V8 has compiled the code of a webhook, in less than a second of CPU time. */
const webhooks = 200;
/** Webhooks at a time, so that the code of batches runs, too. */
const senders = 10;
const loopback = '127.0.0.1';

/** Its webhooks are not real, so they are not measured. */
type WarmedParts = Omit<ApiParts, 'baseUrl' | 'metrics' | 'scrape'>;

/**
 * Sends webhooks through a second instance of the HTTP side, whose database is a transaction that is rolled back. So the
 * code that receives webhooks is loaded and compiled before the first real one.
 *
 * The instance listens on a free port of loopback and refuses every request but these. An error is logged and not
 * thrown, because it costs only the time of the first webhooks.
 */
export async function warmUpHttp(parts: WarmedParts, log: Log): Promise<void> {
  try {
    await undone(parts.database, async (sql) => {
      const slug = unusedSlug();
      await addAccount(sql, uuidv7(), slug);
      await withApi(parts, oneAtATime(sql), `/generic/${slug}`, sendWebhooks);
    });
  } catch (error) {
    log.debug({ err: error }, 'warm-up failed');
  }
}

/** The statements of a pool's connections, on the one connection of a transaction. */
function oneAtATime(sql: Sql): Sql {
  const limit = pLimit(1);
  return {
    query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) {
      return limit(() => sql.query<Row>(statement, values));
    },
  };
}

async function withApi(
  parts: WarmedParts,
  sql: Sql,
  path: string,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const { app, bodies, stopping, close } = composeApi({
    ...parts,
    database: { ...parts.database, ...sql, strangers: sql, reader: sql, transaction: (inside) => inside(sql) },
    baseUrl: () => '',
    ...{ metrics: unmeasured, scrape: null },
    log: createLog('silent'),
  });
  let server: HttpServer | null = null;
  try {
    // A webhook of anyone else would be rolled back after its acknowledgement.
    const onlyOurs = {
      compile: () => app.compile(),
      fetch: (request: Request) =>
        request.url.endsWith(path) ? app.fetch(request) : new Response(null, { status: 503 }),
    };
    const at = { host: loopback, port: 0, maxConnections: 2 * senders };
    server = await serve(onlyOurs, { ...at, bodies, log: createLog('silent') });
    await work(`http://${loopback}:${server.port}${path}`);
  } finally {
    stopping();
    await server?.close();
    await close();
  }
}

async function sendWebhooks(url: string): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: senders });
  try {
    let left = webhooks;
    const sender = async () => {
      for (; left > 0; left -= 1) {
        const body = JSON.stringify({ id: uuidv7(), type: 'warm-up' });
        const headers = { 'content-type': 'application/json' };
        const response = await pool.request({ method: 'POST', path, headers, body });
        const text = await response.body.text();
        if (response.statusCode !== 202) throw new Error(`a webhook was answered ${response.statusCode}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: senders }, sender));
  } finally {
    await pool.close();
  }
}
