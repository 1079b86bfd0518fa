import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { readApplied } from '../database/applied-migrations.ts';
import { connectionOptions } from '../database/connection-options.ts';
import { endClient } from '../database/end-client.ts';
import { isDatabaseError } from '../database/errors.ts';
import { keptAlive } from '../database/keep-alive.ts';
import { liftTransactionLimit, noLimits } from '../database/no-limits.ts';
import { sqlOfClient } from '../database/transaction.ts';
import { tableAndColumns } from './archive-text.ts';
import { BackupError, said } from './backup-error.ts';
import type { ArchivedSequence, Manifest } from './manifest.ts';
import { type ForeignTable, readSourceTables, type SourceTable } from './tables.ts';

/** A consistent view of the database at one point in time, from which a backup is read. */
export interface Snapshot {
  tables: SourceTable[];
  /** Tables of the database that are not part of the backup. */
  foreign: ForeignTable[];
  sequences: ArchivedSequence[];
  migrations: string[];
  auditHead: Manifest['audit_head'];
  takenAt: Date;
  /** Exports the snapshot's id, with which another transaction can read the same state. */
  exportId(): Promise<string>;
  /**
   * The rows of one part of a table in the text format of COPY. Call `rowCount()` after reading the stream to its end.
   */
  rowsOf(table: SourceTable, part: string): { stream: Readable; rowCount(): Promise<number> };
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;
/** Retries for the locks: dropping a partition or a migration may hold a table's lock for a short time. */
const tries = 10;
const pauseMs = 1_000;

/**
 * Session settings, so that the text format of values does not depend on the server's settings. For bytes that are
 * mostly text, the escape format is half as long as the hexadecimal one.
 */
const settings = {
  // A short timeout, so that the backup gives way to a transaction that changes a table.
  lock_timeout: '1s',
  client_encoding: 'UTF8',
  bytea_output: 'escape',
  extra_float_digits: '1',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
};

/**
 * Takes a snapshot on a connection of its own.
 *
 * It locks the tables that it reads against being altered or dropped (ACCESS SHARE). Of a partitioned table it locks
 * the partitions but not the table itself, so that partitions can still be attached and dropped. Rows are read with
 * COPY from the tables themselves, which needs no plan and locks no index.
 *
 * @param signal closes the connection at any time.
 * @throws BackupError
 */
export async function openSnapshot(url: string, signal: AbortSignal): Promise<Snapshot> {
  const client = new pg.Client({
    ...connectionOptions(url, {
      options: noLimits,
      // Identifies the holder of the snapshot in pg_stat_activity.
      application_name: 'webhook-gateway-backup',
    }),
    connectionTimeoutMillis: connectTimeoutMs,
    ...keptAlive,
  });
  // Ignored here, because a running statement fails with the same error.
  client.on('error', () => undefined);
  const close = () => endClient(client);
  const abort = () => void close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect();
    for (const [name, value] of Object.entries(settings))
      await client.query('select set_config($1, $2, false)', [name, value]);
    await liftTransactionLimit(client);
    const { tables, foreign, takenAt } = await begun(client);
    return {
      ...{ tables, foreign, takenAt },
      sequences: await readSequences(client, tables),
      migrations: await readApplied(sqlOfClient(client)),
      auditHead: await readAuditHead(client),
      async exportId() {
        const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
        return rows[0]?.id ?? '';
      },
      rowsOf({ columns }, part) {
        const stream = client.query(copyTo(`COPY ${tableAndColumns({ name: part, columns })} TO STDOUT`));
        return {
          stream,
          async rowCount() {
            // The server sends the count after the last row, and before the response to the next statement.
            await client.query('select 1');
            return stream.rowCount;
          },
        };
      },
      async close() {
        signal.removeEventListener('abort', abort);
        await close();
      },
    };
  } catch (error) {
    signal.removeEventListener('abort', abort);
    await close();
    throw explainDatabase(error, signal);
  }
}

/** Converts an error of the snapshot's connection to a BackupError; returns any other error unchanged. */
export function explainDatabase(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof BackupError) return error;
  if (signal.aborted) return new BackupError('The backup was interrupted.', { cause: error });
  if (!isDatabaseError(error)) return error;
  return new BackupError(`The database could not be read to its end (${said(error)}).`, { cause: error });
}

/** Begins the transaction. It locks the tables before it takes the snapshot, so that all of them stay readable. */
async function begun(client: pg.Client): Promise<Pick<Snapshot, 'tables' | 'foreign' | 'takenAt'>> {
  for (let left = tries; ; left--) {
    try {
      const seen = partsOf((await readSourceTables(client)).tables);
      await client.query('begin isolation level repeatable read, read only');
      await client.query(`lock table ${seen.map((part) => `"${part}"`).join(', ')} in access share mode`);
      const { tables, foreign } = await readSourceTables(client);
      // A partition that was created in the meantime would not be locked, so the tables must be the same as before.
      if (partsOf(tables).join() === seen.join()) {
        const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
        return { tables, foreign, takenAt: rows[0]?.now ?? new Date() };
      }
      if (left <= 1) throw new BackupError('The tables of the database keep changing. Try again later.');
    } catch (error) {
      if (left <= 1 || !isPassing(error)) throw error;
    }
    await client.query('rollback');
    await sleep(pauseMs);
  }
}

const partsOf = (tables: SourceTable[]) => tables.flatMap(({ parts }) => parts);

/** Whether a retry may help: lock timeout (55P03), table dropped in the meantime (42P01), deadlock (40P01). */
function isPassing(error: unknown): boolean {
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  return code === '55P03' || code === '42P01' || code === '40P01';
}

async function readAuditHead(client: pg.Client): Promise<Manifest['audit_head']> {
  const { rows } = await client.query<{ seq: string; seal: string }>(
    `select seq::text, encode(seal, 'hex') as seal from audit_chain where part = 'head'`,
  );
  return rows[0] ? { seq: Number(rows[0].seq), seal: rows[0].seal } : null;
}

/** Sequences are not part of a snapshot: their values may be later ones. Gaps in the numbers are harmless. */
async function readSequences(client: pg.Client, tables: SourceTable[]): Promise<ArchivedSequence[]> {
  const { rows } = await client.query<{ sequence: string; table: string; column: string }>(
    `select s.oid::regclass::text as sequence, t.relname as "table", a.attname as "column"
     from pg_class s join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i')
     join pg_class t on t.oid = d.refobjid join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
     where s.relkind = 'S' and t.relnamespace = current_schema()::regnamespace and t.relname = any($1) order by 2, 3`,
    [tables.map(({ name }) => name)],
  );
  const sequences: ArchivedSequence[] = [];
  for (const { sequence, table, column } of rows) {
    const state = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${sequence}`,
    );
    for (const { value, called } of state.rows) sequences.push({ table, column, value, called });
  }
  return sequences;
}
