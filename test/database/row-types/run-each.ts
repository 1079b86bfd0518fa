import { randomUUID } from 'node:crypto';
import { listAuditLogs } from '../../../src/audit/query.ts';
import type { Database } from '../../../src/database/database.ts';
import { inTransaction, sqlOfClient } from '../../../src/database/transaction.ts';
import { dayMs } from '../../../src/database/uuid-time.ts';
import { nextMatches, stillMatching } from '../../../src/events/bulk/matching-events.ts';
import { readPage } from '../../../src/events/feed/read-page.ts';
import { foldStatistics } from '../../../src/events/fold-statistics.ts';
import { listEvents } from '../../../src/events/list.ts';
import { countRejected } from '../../../src/events/rejected-counts.ts';
import { searchPayloads } from '../../../src/events/search/scan-payloads.ts';
import { countEvents } from '../../../src/events/summary/event-count.ts';
import { ack } from '../../../src/events/transitions/acknowledged.ts';
import { declareDead } from '../../../src/events/transitions/declared-dead.ts';
import { fail } from '../../../src/events/transitions/failed.ts';
import { replay } from '../../../src/events/transitions/replayed.ts';
import { retry } from '../../../src/events/transitions/retried.ts';
import { expireRejected } from '../../../src/maintenance/retention/expire-rejected.ts';
import { expireRows } from '../../../src/maintenance/retention/expire-rows.ts';
import { hasWork, partitionsOf } from '../../../src/maintenance/retention/pending.ts';
import { sealedColumns } from '../../../src/roles/sealed-columns.ts';
import { countByKey, resealAll } from '../../../src/secrets/reseal.ts';
import { randomKeyring } from '../../support/keyring.ts';

const lowest = '00000000-0000-0000-0000-000000000000';
const highest = 'ffffffff-ffff-7fff-bfff-fffffffffffe';

/** Runs the functions that compose the text of a statement, in an otherwise empty database. */
export async function runComposedStatements(database: Database): Promise<void> {
  // Lists and expiry only read days for which the statistics contain events, and tables that have pages.
  await database.pool.query(
    `insert into event_stats (hour, provider, stored, rejected_state) values (now(), 'generic', 1, 1)`,
  );
  await database.pool.query('insert into event_dedup (key, event_id, expires_at) values ($1, $1, now())', [
    randomUUID(),
  ]);
  const keyring = randomKeyring();
  const id = randomUUID();
  await inTransaction(database.pool, async (client) => {
    const sql = sqlOfClient(client);
    for (const operate of [ack, replay, retry]) await operate(sql, id);
    for (const end of [fail, declareDead]) await end(sql, id, null);
    await listAuditLogs(sql, { actor: 'admin', since: new Date(0), limit: 1 });
    // With an offset, the list counts the events before it.
    for (const filter of [{ status: 'processed' }, { status: 'received' }, { delivery_status: 'pending' }] as const)
      for (const offset of [0, 1]) await listEvents(sql, { ...filter, offset, limit: 1 });
    // A filter of two sources, and one of one source.
    for (const filter of [{ delivery_status: 'pending' }, { status: 'processed' }] as const) {
      await nextMatches(sql, filter, { next: lowest, last: highest, sliceMs: dayMs }, { most: 1, timeMs: 1_000 });
      await stillMatching(sql, filter, [id]);
    }
    await readPage(sql, { after: { xid: '0', id: lowest }, condition: { sql: null, values: [] }, limit: 1 });
    await countRejected(sql, {}, new AbortController().signal);
    for (const filter of [{ delivery_status: 'pending' }, {}] as const)
      await searchPayloads({ reader: sql, slices: sql }, { ...filter, text: 'a', limit: 1 });
    await foldStatistics(sql);
    await hasWork(sql, new Date(), await partitionsOf(sql, new Date()));
    await countByKey(sql, sealedColumns);
    await resealAll(sql, keyring, sealedColumns, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
  });
  await countEvents(database, {}, new AbortController().signal);
  await expireRows(database);
  await expireRejected(database, new Date(Date.now() + dayMs));
}
