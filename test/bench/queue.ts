import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/database/database.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { nowMs } from './clock.ts';
import { temporaryPostgres } from './processes.ts';
import { Claims, claimSize } from './queue/claim.ts';
import { recordDelivered, removeStarted } from './queue/deliver.ts';
import { createAccounts, enqueue } from './queue/enqueue.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { durability } from './settings.ts';

/** Divides the size of a claim, so that a claim with a fair share for each account is full. */
const accounts = 16;
/** Events that wait in the queue at the same time. */
const backlog = 10 * claimSize;
/** How long an empty claim waits before the next one. */
const emptyMs = 20;
/** Events a row of the table. */
const eventsARow = 100_000;

/**
 * Sends events through the queue with the statements of the relay, without HTTP and without workflows, to show that a
 * claim takes as long after millions of events as after none.
 */
export async function benchQueue(options: { events: number }): Promise<BenchResult> {
  const postgres = await temporaryPostgres();
  const log = createLog('warn');
  await migrateOnce(postgres.url, log);
  const database = await openDatabase({ url: postgres.url, log });
  try {
    const accountIds = await createAccounts(database, accounts);
    const recorder = new OutcomeRecorder(database, async () => undefined);
    const claims = new Claims(database, randomUUID());
    const rows: BenchResult['rows'] = [];
    for (let events = 0; events < options.events; events += eventsARow) {
      const count = Math.min(eventsARow, options.events - events);
      rows.push({ events: events + count, ...(await measure({ database, recorder, claims, accountIds }, count)) });
      console.error(JSON.stringify(rows.at(-1)));
    }
    return { settings: await durability(postgres.url), rows };
  } finally {
    await database.close();
    await postgres.stop();
  }
}

type Row = BenchResult['rows'][number];

interface Parts {
  database: Database;
  recorder: OutcomeRecorder;
  claims: Claims;
  accountIds: readonly string[];
}

async function measure({ database, recorder, claims, accountIds }: Parts, events: number): Promise<Row> {
  const [attempts, starts, empties] = [new Timed(), new Timed(), new Timed()];
  let delivered = 0;
  const startedMs = nowMs();
  for (let left = events; left > 0; left -= backlog) {
    await enqueue(database, Math.min(backlog, left));
    claims.enqueued(accountIds);
    for (;;) {
      await empties.timed(() => database.query(emptyStatement, []));
      const toAttempt = await attempts.timed(() => claims.attempts());
      delivered += await recordDelivered(recorder, toAttempt);
      const toStart = await starts.timed(() => claims.starts());
      if (toStart.length > 0) await removeStarted(database, toStart);
      if (toAttempt.length + toStart.length > 0) continue;
      // Events that were settled later than others after them are claimed when the claims begin again.
      if ((await sizeOfQueue(database)).waiting === 0) break;
      await sleep(emptyMs);
    }
  }
  const size = await sizeOfQueue(database);
  if (size.waiting > 0) throw new Error(`${size.waiting} events were delivered and are still in the queue`);
  return {
    'events/s': Math.round((events * 1000) / (nowMs() - startedMs)),
    'claim mean ms': attempts.meanMs.toFixed(2),
    'claim p99 ms': ms(percentile(attempts.tookMs, 0.99)),
    'claim for a start mean ms': starts.meanMs.toFixed(2),
    'claim for a start p99 ms': ms(percentile(starts.tookMs, 0.99)),
    'select 1 mean ms': empties.meanMs.toFixed(2),
    'queue KiB': size.kiB,
    'dead rows': size.dead,
    vacuums: size.vacuums,
    lost: events - delivered,
    duplicated: attempts.rows - delivered,
  };
}

/** The times of a statement. Claims that find nothing have no time. */
class Timed {
  readonly tookMs: number[] = [];
  rows = 0;

  get meanMs(): number {
    return this.tookMs.reduce((sum, each) => sum + each, 0) / this.tookMs.length;
  }

  async timed<Found>(statement: () => Promise<Found[]>): Promise<Found[]> {
    const fromMs = nowMs();
    const found = await statement();
    if (found.length > 0) this.tookMs.push(nowMs() - fromMs);
    this.rows += found.length;
    return found;
  }
}

/** Its time says how busy the machine is, so that claims of different minutes can be compared. */
const emptyStatement = { name: 'bench_empty', text: 'select 1 as one' };

const readSize = {
  name: 'bench_queue_size',
  text: `
    select (pg_total_relation_size('event_queue') / 1024)::integer as "kiB", n_dead_tup::integer as dead, autovacuum_count::integer as vacuums,
      (select count(*)::integer from event_queue) as waiting
    from pg_stat_user_tables where relname = 'event_queue'`,
};

interface QueueSize {
  kiB: number;
  dead: number;
  /** How often autovacuum has removed dead rows so far. */
  vacuums: number;
  waiting: number;
}

async function sizeOfQueue(database: Database): Promise<QueueSize> {
  const [row] = await database.query<QueueSize>(readSize, []);
  if (!row) throw new Error('there is no event_queue');
  return row;
}
