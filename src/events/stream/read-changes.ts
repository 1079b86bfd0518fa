import type pg from 'pg';
import type { Sql } from '../../database/sql.ts';
import { inTransaction, sqlOfClient } from '../../database/transaction.ts';
import { dayMs, uuidFloor } from '../../database/uuid-time.ts';
import { isId } from '../../shared/is-id.ts';
import { type EventRow, eventColumns } from '../event.ts';

/**
 * How long after its receipt an event may be committed: three tries of ingestion take 30 s, and the clocks of api
 * processes may differ by as much again.
 */
const lateMs = 60_000;
/** Ids later than now: of api processes whose clocks are ahead. */
const aheadMs = 60_000;
/** Events that one read returns at most. Twice the rate of one stream, so that streams with filters lose less. */
const mostEvents = 2_000;
/** Left-out events are counted up to this number. */
const mostCounted = 100_000;
/** Older events that may change soon, of each kind. More of them are reported as `crowded`. */
const mostCandidates = 1_000;
/** Retries end within hours; those of a disabled account within seven days. */
const dueDays = 8;
/** Attempts that become due before the next read. */
const soon = `interval '2 seconds'`;

/**
 * Whether the version of a row was written by a transaction that the snapshot $1 does not include. `xmin` is the id of
 * that transaction without its upper 32 bits; $2 is the end of the snapshot, and at most 2^31 transactions away.
 *
 * A change after a savepoint has an id of its own, which a snapshot does not list, so that it may be missed. Of the
 * transactions that change events only those of bulk jobs have savepoints (../bulk/apply-batch.ts), and the end of a job
 * makes clients load the list again (`onManyEvents`).
 */
const transactionOf = (alias: string) =>
  `($2::bigint + (${alias}.xmin::text::bigint - ($2::bigint & 4294967295) + 6442450944) % 4294967296 - 2147483648)`;
const changed = (alias: string) => `case when ${transactionOf(alias)} >= $3::bigint
  then not pg_visible_in_snapshot(${transactionOf(alias)}::text::xid8, $1::text::pg_snapshot) else false end`;

const readSnapshot = { name: '', text: 'select pg_current_snapshot()::text as snapshot' };

const readRecent = {
  name: '',
  text: `select ${eventColumns} from events e where e.id >= $4 and e.id < $5 and ${changed('e')} order by e.id desc limit $6`,
};

const countRecent = {
  name: '',
  text: `select count(*)::integer as n from (
    select 1 from events e where e.id >= $4 and e.id < $5 and ${changed('e')} limit ${mostCounted}) c`,
};

const readOlder = {
  name: '',
  text: `select ${eventColumns} from events e where e.id = any($4::uuid[]) and e.id >= $5 and e.id < $6 and ${changed('e')} order by e.id desc limit ${mostEvents}`,
};

// Events of before $2 that may change soon: due ones, and queued ones. Each part is read from an index, or from a table
// that is small unless there is a backlog.
const readCandidates = {
  name: '',
  text: `
    (select e.id from events e where e.due_at <= now() + ${soon} and e.id >= $1 and e.id < $2 order by e.due_at desc limit ${mostCandidates})
    union (select q.event_id from event_queue q where q.event_id < $2 order by q.event_id desc limit ${mostCandidates})
    union (select c.event_id from event_commands c where c.event_id < $2 order by c.id desc limit ${mostCandidates})`,
};

// Operators change events of any age. Their audit entries commit together with the changes. Those of calls that failed, and of
// dry runs, stand for no change.
const readOperations = {
  name: '',
  text: `select id, action, details->>'event_id' as event_id from audit_logs
    where id >= $1 and action = any($2::text[]) and details->>'code' is null and details->>'dry_run' is distinct from 'true'
    order by id desc limit ${mostCandidates}`,
};

/** Actions that change one event, which their audit entry names. */
const onOneEvent = ['event.replay', 'event.ack', 'event.fail', 'delivery.retry'];
/** Actions that may change many events of any age. */
const onManyEvents = ['event.replay_failed', 'event.bulk', 'event.bulk_end', 'account.delete', 'consumer.delete'];

/** A point in the order of commits: what is visible in this snapshot of PostgreSQL was reported. */
export interface Position {
  snapshot: string;
  /** When it was taken, by the clock of this process in ms. */
  atMs: number;
}

/** What was committed between two positions. */
export interface Changes {
  to: Position;
  /** The present state of new and changed events, in the order of their ids. */
  events: EventRow[];
  /** Changed events beyond `mostEvents`, at most 100,000. */
  leftOut: number;
  /** Ids of older events that may change soon. */
  candidates: string[];
  /** Whether there are more such events than a read returns, so that changes may be missed. */
  crowded: boolean;
  /** Audit entries of actions that change many events. Entries are returned again for `lateMs`. */
  bulk: string[];
}

/** The ids of the transactions at the ends of a snapshot: all before `xmin` are visible, and none from `xmax` on. */
export function boundsOf(snapshot: string): { xmin: bigint; xmax: bigint } {
  const [xmin = '0', xmax = '0'] = snapshot.split(':');
  return { xmin: BigInt(xmin), xmax: BigInt(xmax) };
}

/** The present position. */
export async function readPosition(sql: Sql): Promise<Position> {
  const atMs = Date.now();
  const [row] = await sql.query<{ snapshot: string }>(readSnapshot, []);
  if (!row) throw new Error('pg_current_snapshot returned no row');
  return { snapshot: row.snapshot, atMs };
}

/**
 * Reads what was committed after a position. Events received in the last minute are found by their ids. Of older events
 * only the `watched` ones are read, and those with an operator's command.
 *
 * @param readers a pool whose plans are made for the actual values. All statements see one snapshot.
 */
export async function readChanges(readers: pg.Pool, from: Position, watched: ReadonlySet<string>): Promise<Changes> {
  return inTransaction(readers, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const sql = sqlOfClient(client);
    const to = await readPosition(sql);
    const low = uuidFloor(new Date(Math.min(from.atMs, to.atMs) - lateMs));
    const high = uuidFloor(new Date(Math.max(from.atMs, to.atMs) + aheadMs));
    const operations = await sql.query<{ id: string; action: string; event_id: string | null }>(readOperations, [
      low,
      [...onOneEvent, ...onManyEvents],
    ]);
    const since = uuidFloor(new Date(to.atMs - dueDays * dayMs));
    const found = await sql.query<{ id: string }>(readCandidates, [since, low]);
    const candidates = [
      ...found.map(({ id }) => id),
      // PostgreSQL would refuse what is no id, and with it the whole read.
      ...operations.flatMap(({ event_id: id }) => (id !== null && isId(id) ? [id.toLowerCase()] : [])),
    ];
    const { xmin, xmax } = boundsOf(from.snapshot);
    const after = [from.snapshot, String(xmax), String(xmin)];
    const recent = await sql.query<EventRow>(readRecent, [...after, low, high, mostEvents]);
    const older = await readOlderOnes(sql, after, low, new Set([...watched, ...candidates]));
    return {
      to,
      events: [...recent, ...older].reverse(),
      leftOut: recent.length < mostEvents ? 0 : (await countOf(sql, [...after, low, high])) - recent.length,
      candidates,
      crowded: [found, operations].some(({ length }) => length >= mostCandidates) || older.length >= mostEvents,
      bulk: operations.filter(({ action }) => onManyEvents.includes(action)).map(({ id }) => id),
    };
  });
}

async function readOlderOnes(sql: Sql, after: string[], low: string, ids: Set<string>): Promise<EventRow[]> {
  const older = [...ids].filter((id) => id < low).sort();
  const [oldest] = older;
  return oldest === undefined ? [] : sql.query<EventRow>(readOlder, [...after, older, oldest, low]);
}

async function countOf(sql: Sql, values: unknown[]): Promise<number> {
  const [row] = await sql.query<{ n: number }>(countRecent, values);
  return row?.n ?? 0;
}
