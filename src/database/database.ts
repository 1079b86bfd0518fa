import { Migrator } from '@mikro-orm/migrations';
import { type EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Log } from '../shared/log.ts';
import { connectionOptions } from './connection-options.ts';
import { keptAlive } from './keep-alive.ts';
import { migrations } from './migrations.ts';
import { liftTransactionLimit, noLimits } from './no-limits.ts';
import type { Sql, Statement, Transactions } from './sql.ts';
import { inTransaction, sqlOfClient } from './transaction.ts';

export interface Database extends Transactions {
  /**
   * For lists and statistics that people ask for: connections of their own, so that a heavy one never takes those of
   * ingestion, and plans made for the values at hand.
   */
  readonly reader: Sql;
  /**
   * For accounts of addresses that were never seen, which anyone can ask for: a few connections of their own, so that they
   * wait for each other and not ingestion for them.
   */
  readonly strangers: Sql;
  /** The connections of `reader`, for whoever needs one snapshot for several statements. */
  readonly readers: pg.Pool;
  readonly url: string;
  readonly orm: MikroORM;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** Days are those of UTC, whatever the database or its role is set to. */
const timeZone = '-c TimeZone=UTC';
/** How long a query may take before the connection is given up: a hung server must not hold a provider's request. */
const queryTimeoutMs = 10_000;
/**
 * The server gives up a second before: then the statement really ends, and its transaction can be rolled back. A connection
 * that was given up from here keeps its locks for as long as the server likes.
 */
const serverLimits = `${timeZone} -c statement_timeout=9s -c lock_timeout=5s -c idle_in_transaction_session_timeout=30s`;
const connectTimeoutMs = 5_000;
/** Enough for a few operators and their dashboards; each holds at most so many of the server's processes. */
const readerConnections = 4;
/** One statement looks up hundreds of addresses. */
const strangerConnections = 2;
/**
 * With hundreds of partitions planning costs more than running, so statements are planned once; and since that may be while
 * the tables are still empty, no plan may rest on reading a table from end to end.
 */
const plannedOnce = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

/**
 * Opens the connection pool. MikroORM owns it (entities, migrations); the statements of the hot path go straight to it,
 * with bound arrays. Nothing is connected yet: the first query does that.
 */
export async function connectDatabase(options: {
  url: string;
  log: Log;
  /** What stores read and write with MikroORM; none for programs that only run statements. */
  entities?: readonly EntitySchema[];
  maxConnections?: number;
  /** For migrations: statements about whole tables, which take as long as they take and are planned as such. */
  wholeTables?: boolean;
}): Promise<Database> {
  const { log, wholeTables = false } = options;
  const { ssl, ...connection } = connectionOptions(options.url, {
    options: wholeTables ? `-c jit=off ${timeZone} ${noLimits}` : `${plannedOnce} ${serverLimits}`,
    application_name: 'webhook-gateway',
  });
  const orm = await MikroORM.init({
    // Its own reading of a URL leaves out all parameters, those about TLS too.
    dbName: connection.database ?? connection.user ?? '',
    // MikroORM's own discovery cache would be a folder of its own; a few small entities need none.
    metadataCache: { enabled: false },
    entities: [...(options.entities ?? [])],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    // Else a mistyped name in DATABASE_URL makes an empty database, and opening connects.
    ensureDatabase: false,
    pool: { min: 0, max: options.maxConnections ?? 20 },
    driverOptions: {
      connectionTimeoutMillis: connectTimeoutMs,
      ...(wholeTables ? { onConnect: liftTransactionLimit } : { query_timeout: queryTimeoutMs }),
      ...keptAlive,
      ...connection,
      // MikroORM copies plain objects deeply, which a TLS context does not survive.
      onPoolCreated(pool: pg.Pool) {
        pool.options.ssl = ssl;
      },
    },
    logger: (message) => log.debug(message),
    migrations: {
      migrationsList: migrations,
      snapshot: false,
      transactional: true,
      allOrNothing: true,
      disableForeignKeys: false,
    },
  });
  const pool = await orm.em.getConnection().getNativeClient();
  const besides = (name: string, max: number, planning: string) => {
    const connections = new pg.Pool({
      max,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      allowExitOnIdle: true,
      ...connectionOptions(options.url, {
        options: `${planning} ${serverLimits}`,
        application_name: `webhook-gateway-${name}`,
      }),
    });
    connections.on('error', (error) => log.debug({ err: error }, 'an idle connection broke'));
    return connections;
  };
  // Compiling a plan, or starting processes for it, takes longer than any of these statements should.
  const readers = besides('reader', readerConnections, '-c jit=off -c max_parallel_workers_per_gather=0');
  const strangers = besides('stranger', strangerConnections, plannedOnce);
  return {
    url: options.url,
    orm,
    pool,
    readers,
    reader: sqlOfPool(readers),
    strangers: sqlOfPool(strangers),
    async query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) {
      // `types`: the driver's own parsers (a timestamp is a Date), where MikroORM's pool keeps texts.
      const result = await pool.query<Row>({ name: statement.name, text: statement.text, values, types: pg.types });
      return result.rows;
    },
    transaction: (work) => inTransaction(pool, (client) => work(sqlOfClient(client))),
    async close() {
      await readers.end();
      await strangers.end();
      await orm.close(true);
      // MikroORM leaves it open when it has not used it itself.
      if (!pool.ending) await pool.end();
    },
  };
}

const sqlOfPool = (pool: pg.Pool): Sql => ({
  async query<Row extends pg.QueryResultRow>({ name, text }: Statement, values: unknown[]) {
    return (await pool.query<Row>({ name, text, values })).rows;
  },
});
