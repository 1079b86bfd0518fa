import { Migrator } from '@mikro-orm/migrations';
import { type EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Log } from '../shared/log.ts';
import { applicationName } from './application-name.ts';
import { connectionOptions } from './connection-options.ts';
import { keptAlive } from './keep-alive.ts';
import { migrations, type NamedMigration } from './migrations.ts';
import { liftTransactionLimit, noLimits } from './no-limits.ts';
import type { Sql, Transactions } from './sql.ts';
import { inTransaction, sqlOfClient } from './transaction.ts';

export interface Database extends Transactions {
  /**
   * For operators' lists and statistics: a separate connection pool, so that an expensive query never takes connections
   * from ingestion. Plans are made for the actual parameter values.
   */
  readonly reader: Sql;
  /**
   * For looking up unknown account addresses, which any client can request: a separate, small connection pool, so that
   * these lookups wait for each other and do not delay ingestion.
   */
  readonly strangers: Sql;
  /** The pool of `reader`, for callers that need one snapshot for several statements. */
  readonly readers: pg.Pool;
  readonly url: string;
  readonly orm: MikroORM;
  readonly pool: pg.Pool;
  /** All pools of this process, for counting their connections. */
  readonly pools: readonly pg.Pool[];
  close(): Promise<void>;
}

/** Days are days of UTC, even if the database or its role has another time zone. */
const timeZone = '-c TimeZone=UTC';
/** When the driver gives up a query and its connection. A hung server must not hold a provider's request for longer. */
const queryTimeoutMs = 10_000;
/**
 * The server cancels a statement one second before the driver gives up. Then the statement has really ended, and its
 * transaction can be rolled back. If only the driver gave up, the statement and its locks would remain on the server.
 */
const serverLimits = `${timeZone} -c statement_timeout=9s -c lock_timeout=5s -c idle_in_transaction_session_timeout=30s`;
const connectTimeoutMs = 5_000;
/** Connections of `reader` in each gateway process: enough for a few operators and their dashboards. */
const readerConnections = 4;
/** Connections of `strangers`. Two are enough, because one statement looks up hundreds of addresses. */
const strangerConnections = 2;
/**
 * With hundreds of partitions, planning costs more than execution, so each statement is planned once per connection.
 * The tables may still be empty at that time, so sequential scans are disabled: otherwise the plan
 * would continue to use them.
 */
const plannedOnce = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

/**
 * Creates the connection pools. MikroORM owns the main pool and uses it for entities and migrations. Statements of the
 * hot path use that pool directly, with arrays as parameters. The first query opens the first connection.
 */
export async function connectDatabase(options: {
  url: string;
  log: Log;
  /** The entities that stores use with MikroORM; none for programs that only run statements. */
  entities?: readonly EntitySchema[];
  maxConnections?: number;
  /** Those that MikroORM's migrator can apply; by default, those of this release. */
  migrations?: readonly NamedMigration[];
  /** For migrations and other statements about whole tables: no time limits, and no settings for short statements. */
  wholeTables?: boolean;
}): Promise<Database> {
  const { log, wholeTables = false } = options;
  const { ssl, ...connection } = connectionOptions(options.url, {
    options: wholeTables ? `-c jit=off ${timeZone} ${noLimits}` : `${plannedOnce} ${serverLimits}`,
    application_name: applicationName(),
  });
  const orm = await MikroORM.init({
    // Not `clientUrl`: MikroORM ignores all parameters of a URL, including those for TLS.
    dbName: connection.database ?? connection.user ?? '',
    // The discovery cache would be an extra folder, which a few small entities do not need.
    metadataCache: { enabled: false },
    entities: [...(options.entities ?? [])],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    // Otherwise, a mistyped name in DATABASE_URL would create an empty database, and `init` would already connect.
    ensureDatabase: false,
    pool: { min: 0, max: options.maxConnections ?? 20 },
    driverOptions: {
      connectionTimeoutMillis: connectTimeoutMs,
      ...(wholeTables ? { onConnect: liftTransactionLimit } : { query_timeout: queryTimeoutMs }),
      ...keptAlive,
      ...connection,
      // Set here, because MikroORM makes deep copies of plain options, and a copied TLS context is broken.
      onPoolCreated(pool: pg.Pool) {
        pool.options.ssl = ssl;
      },
    },
    logger: (message) => log.debug(message),
    migrations: {
      migrationsList: [...(options.migrations ?? migrations)],
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
    connections.on('error', (error) => log.debug({ err: error }, 'idle connection lost'));
    return connections;
  };
  // JIT compilation or parallel workers would take longer to start than these statements take to run.
  const readers = besides('reader', readerConnections, '-c jit=off -c max_parallel_workers_per_gather=0');
  const strangers = besides('stranger', strangerConnections, plannedOnce);
  return {
    ...sqlOfClient(pool),
    url: options.url,
    orm,
    pool,
    pools: [pool, readers, strangers],
    readers,
    reader: sqlOfClient(readers),
    strangers: sqlOfClient(strangers),
    transaction: (work) => inTransaction(pool, (client) => work(sqlOfClient(client))),
    async close() {
      await readers.end();
      await strangers.end();
      await orm.close(true);
      // MikroORM does not end a pool that it has not used itself.
      if (!pool.ending) await pool.end();
    },
  };
}
