import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { lockKeys } from '../../src/database/lock-keys.ts';
import { migrate } from '../../src/database/migrate.ts';
import { ensurePartitions } from '../../src/database/partitions.ts';
import { isoDay, uuidFloor } from '../../src/database/uuid-time.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase } from '../support/database.ts';
import { rows } from '../support/stored.ts';
import { useDatabase } from '../support/use-database.ts';

const dayMs = 86_400_000;

describe('uuidFloor', () => {
  test('has the format of a UUID', () => {
    expect(uuidFloor(new Date(0))).toBe('00000000-0000-0000-0000-000000000000');
    // The time of the example in RFC 9562, appendix A.6.
    expect(uuidFloor(new Date('2022-02-22T14:22:22-05:00'))).toBe('017f22e2-79b0-0000-0000-000000000000');
    expect(uuidFloor(new Date(2 ** 48 - 1))).toBe('ffffffff-ffff-0000-0000-000000000000');
  });
  test('is not above any UUIDv7 of its millisecond, and above all earlier ones', () => {
    const maxMs = Date.parse('9999-12-31T23:59:59Z');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: maxMs }), fc.uint8Array({ minLength: 16, maxLength: 16 }), (ms, random) => {
        expect(uuidv7({ msecs: ms, random }) > uuidFloor(new Date(ms))).toBe(true);
        expect(uuidv7({ msecs: ms - 1, random }) < uuidFloor(new Date(ms))).toBe(true);
      }),
    );
  });
  test('isoDay is the day in UTC', () => {
    expect(isoDay(new Date('2026-03-01T00:30:00+02:00'))).toBe('2026-02-28');
  });
});

describe('ensurePartitions', () => {
  const database = useDatabase(freshDatabase);
  beforeAll(async () => {
    const log = createLog('silent');
    await migrate(database, log);
  });

  /** The partitions of one table, as `YYYYMMDD`, in a year for which `migrate` creates none. */
  const days = async (table: string, year: number) =>
    (
      await rows(
        database,
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = $1::regclass and c.relname like $2 order by 1`,
        [table, `${table}\\_${year}%`],
      )
    ).map((row) => row.name.slice(table.length + 1));
  const tables = ['events', 'event_payloads', 'delivery_attempts'];

  test('creates the day before, the day itself and the days after it in every table, also when repeated', async () => {
    for (let n = 0; n < 3; n++) {
      await ensurePartitions(database, new Date('2001-03-01T23:59:59.999Z'), 2);
      for (const table of tables) {
        expect(await days(table, 2001)).toEqual(['20010228', '20010301', '20010302', '20010303']);
      }
    }
  });

  test('creates the missing days between existing ones', async () => {
    await ensurePartitions(database, new Date('2002-06-01T00:00:00Z'), 0);
    await ensurePartitions(database, new Date('2002-06-05T00:00:00Z'), 0);
    await ensurePartitions(database, new Date('2002-06-03T00:00:00Z'), 2);
    const june = ['0531', '0601', '0602', '0603', '0604', '0605'].map((day) => `2002${day}`);
    for (const table of tables) expect(await days(table, 2002)).toEqual(june);
  });

  test('concurrent calls create each partition once', async () => {
    const from = new Date('2003-01-10T12:00:00Z');
    await Promise.all(Array.from({ length: 8 }, (_, n) => ensurePartitions(database, from, n % 4)));
    for (const table of tables) {
      expect(await days(table, 2003)).toEqual(['20030109', '20030110', '20030111', '20030112', '20030113']);
    }
  });

  test('waits longer for another process that creates partitions than for a lock of a table', async () => {
    const other = await database.pool.connect();
    await other.query('select pg_advisory_lock($1)', [lockKeys.partitions]);
    const making = ensurePartitions(database, new Date('2006-06-06T00:00:00Z'), 0);
    // Longer than the lock timeout for a table (1 s).
    const released = other.query('select pg_sleep(1.3), pg_advisory_unlock($1)', [lockKeys.partitions]);
    try {
      await making;
    } finally {
      await released;
      other.release();
    }
    expect(await days('events', 2006)).toEqual(['20060605', '20060606']);
  });

  test('every time of a day belongs to the partition of that day', async () => {
    const day = new Date('2004-02-29T00:00:00Z');
    await ensurePartitions(database, day, 1);
    const moments = [0, 1, dayMs / 2, dayMs - 1, dayMs].map((ms) => new Date(day.getTime() + ms));
    const lowest = new Uint8Array(16);
    const highest = new Uint8Array(16).fill(255);
    for (const at of moments) {
      for (const random of [lowest, highest]) {
        const id = uuidv7({ msecs: at.getTime(), random });
        const [row] = await rows(
          database,
          `insert into event_payloads (event_id, headers, body) values ($1, '[]', '') returning tableoid::regclass::text as name`,
          [id],
        );
        expect([at.toISOString(), row?.name]).toEqual([
          at.toISOString(),
          `event_payloads_${isoDay(at).replaceAll('-', '')}`,
        ]);
      }
    }
  });

  test('leaves no connection and no lock behind when it fails', async () => {
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query('lock table events in access exclusive mode');
    const making = ensurePartitions(database, new Date('2005-05-05T00:00:00Z'), 1);
    await expect(making).rejects.toThrow(/lock timeout/);
    await other.query('rollback');
    other.release();
    await ensurePartitions(database, new Date('2005-05-05T00:00:00Z'), 1);
    expect(await days('events', 2005)).toEqual(['20050504', '20050505', '20050506']);
    expect(database.pool.totalCount - database.pool.idleCount).toBe(0);
  });
});
