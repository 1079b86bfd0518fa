import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type AuditFilter, type AuditRow, listAuditLogs } from '../../src/audit/query.ts';
import { auditStatistics } from '../../src/audit/statistics.ts';
import { type AuditAction, auditActions } from '../../src/http/admin/actions.ts';
import { forTest } from '../support/use.ts';
import { openTestLog, useTestLog } from './log.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1, 23, 59, 59, 999);
const actors = ['alice', 'bob', '__proto__', 'constructor', '7'];
const addresses = ['192.0.2.1', '2001:db8::1', '192.0.2.2'];

/** Every seventh entry is about one of two events. */
const eventIds = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'];
const detailsOf = (n: number) => (n % 7 === 0 ? { n, event_id: eventIds[(n / 7) % 2] ?? '' } : { n });

/** All entries of the log, newest first. */
let all: AuditRow[];
const list = (filter: Partial<AuditFilter>) => listAuditLogs(log.database.reader, { limit: 1_000, ...filter });

const log = useTestLog();
beforeAll(async () => {
  expect(await auditStatistics(log.database.reader)).toEqual({
    ...{ total: 0, oldest: null, newest: null },
    ...{ by_action: {}, by_actor: {}, by_ip: {}, by_day: {} },
  });
  expect(await list({})).toEqual([]);
  vi.useFakeTimers({ toFake: ['Date'] });
  const made: Omit<AuditRow, 'id'>[] = [];
  for (let n = 0; n < 300; n++) {
    // Some of them in the same millisecond.
    const timestamp = new Date(startMs + Math.floor(n / 3) * (dayMs / 10));
    vi.setSystemTime(timestamp);
    const action: AuditAction = auditActions[(n * 7) % 20] ?? 'unknown';
    const entry = {
      actor: actors[n % 5] ?? '',
      action,
      ip_address: addresses[(n >> 2) % 3] ?? '',
      details: detailsOf(n),
    };
    await log.audit.append({ ...entry, ipAddress: entry.ip_address });
    made.unshift({ ...entry, timestamp });
  }
  vi.useRealTimers();
  all = await list({});
  expect(all.map(({ id, ...row }) => row)).toEqual(made);
});

describe('the list', () => {
  test('has each entry once, newest first, up to the limit', async () => {
    for (const limit of [1, 2, 299, 300, 301]) expect(await list({ limit })).toEqual(all.slice(0, limit));
  });

  const filters: [string, (row: AuditRow) => Partial<AuditFilter>][] = [
    ['actor', ({ actor }) => ({ actor })],
    ['action', ({ action }) => ({ action })],
    ['ip_address', ({ ip_address }) => ({ ip_address })],
    ['since', ({ timestamp }) => ({ since: timestamp })],
    ['before', ({ id }) => ({ before: id })],
  ];
  const sets = Array.from({ length: 2 ** filters.length }, (_, bits) =>
    filters.filter((_, index) => bits & (1 << index)),
  );

  test.each(sets.map((set) => [set.map(([name]) => name).join(', ') || 'nothing', set] as const))(
    'filtered by %s',
    async (_names, set) => {
      for (const n of [10, 100, 299]) {
        // The value of each filter comes from a different entry, a few places apart, so that ranges are not empty.
        const filter: Partial<AuditFilter> = {};
        set.forEach(([name, of], index) => {
          const row = all[name === 'before' ? n - 10 : Math.min(n + index * 5, 299)];
          if (row) Object.assign(filter, of(row));
        });
        const place = all.findIndex(({ id }) => id === filter.before);
        const expected = all.filter(
          (row, index) =>
            (filter.actor === undefined || row.actor === filter.actor) &&
            (filter.action === undefined || row.action === filter.action) &&
            (filter.ip_address === undefined || row.ip_address === filter.ip_address) &&
            (filter.since === undefined || row.timestamp > filter.since) &&
            index > place,
        );
        expect(await list(filter)).toEqual(expected);
        expect(await list({ ...filter, limit: 2 })).toEqual(expected.slice(0, 2));
      }
    },
  );

  test('can be read page by page with the cursor', async () => {
    const seen: AuditRow[] = [];
    for (;;) {
      const page = await list({ actor: 'alice', limit: 7, before: seen.at(-1)?.id });
      seen.push(...page);
      if (page.length < 7) break;
    }
    expect(seen).toEqual(all.filter(({ actor }) => actor === 'alice'));
  });

  test('since is exclusive to the millisecond, and accepts any date', async () => {
    const newest = all[0]?.timestamp.getTime() ?? 0;
    expect(await list({ since: new Date(newest) })).toEqual([]);
    expect(await list({ since: new Date(newest - 1) })).toEqual(all.slice(0, 3));
    for (const ms of [-8.64e15, -1, 0]) expect(await list({ since: new Date(ms) })).toEqual(all);
    for (const ms of [2 ** 48 - 2, 2 ** 48 - 1, 2 ** 48, 8.64e15])
      expect(await list({ since: new Date(ms) })).toEqual([]);
  });

  test('until is exclusive to the millisecond, and accepts any date', async () => {
    const newest = all[0]?.timestamp.getTime() ?? 0;
    expect(await list({ until: new Date(newest) })).toEqual(all.slice(3));
    expect(await list({ until: new Date(newest + 1) })).toEqual(all);
    for (const ms of [-8.64e15, -1, 0]) expect(await list({ until: new Date(ms) })).toEqual([]);
    for (const ms of [2 ** 48 - 1, 2 ** 48, 8.64e15]) expect(await list({ until: new Date(ms) })).toEqual(all);
  });

  test('about one event, page by page, with some actions left out', async () => {
    for (const event_id of eventIds) {
      const about = all.filter(({ details }) => details.event_id === event_id);
      expect(about.length).toBeGreaterThan(10);
      expect(await list({ event_id })).toEqual(about);
      expect(await list({ event_id, limit: 3, before: about[4]?.id })).toEqual(about.slice(5, 8));
      const action = about[0]?.action as AuditAction;
      expect(await list({ event_id, without: [action] })).toEqual(about.filter((row) => row.action !== action));
    }
    expect(await list({ event_id: '01900000-0000-7000-8000-000000000003' })).toEqual([]);
  });

  test('is empty for unknown values, and filters are not patterns', async () => {
    for (const text of ['nobody', '%', '', `' or true --`, 'ALICE'])
      for (const name of ['actor', 'action', 'ip_address']) expect(await list({ [name]: text })).toEqual([]);
  });
});

describe('the statistics', () => {
  const counted = (of: (row: AuditRow) => string) => {
    const counts = new Map<string, number>();
    for (const row of all) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
    return Object.fromEntries(counts);
  };

  test('agree with a recount', async () => {
    const statistics = await auditStatistics(log.database.reader);
    expect(statistics).toEqual({
      total: 300,
      oldest: all.at(-1)?.timestamp,
      newest: all[0]?.timestamp,
      by_action: counted(({ action }) => action),
      by_actor: counted(({ actor }) => actor),
      by_ip: counted(({ ip_address }) => ip_address),
      by_day: counted(({ timestamp }) => timestamp.toISOString().slice(0, 10)),
    });
    expect(Object.keys(JSON.parse(JSON.stringify(statistics)).by_actor).sort()).toEqual([...actors].sort());
  });

  test('contain the 100 largest groups and the 400 newest days', async () => {
    const other = await forTest(openTestLog());
    // Actor n has n entries, on n consecutive days counted back from the first.
    await other.sql(`insert into audit_logs (id, actor, action, ip_address, created_at, details, mac)
      select gen_random_uuid(), 'actor ' || n, 'a', 'ip ' || n, timestamptz '2026-01-01 00:00Z' - make_interval(days => n * 10 + i % 10), '{}', ''
      from generate_series(1, 130) n, generate_series(1, n) i`);
    const { total, by_actor, by_ip, by_day, oldest, newest } = await auditStatistics(other.database.reader);
    expect(total).toBe((130 * 131) / 2);
    expect(Object.keys(by_actor)).toHaveLength(100);
    expect(Object.keys(by_ip)).toHaveLength(100);
    expect(Math.min(...Object.values(by_actor))).toBe(31);
    expect(by_actor['actor 130']).toBe(130);
    const days = Object.keys(by_day).sort();
    expect(days).toHaveLength(400);
    expect(days.at(-1)).toBe(newest?.toISOString().slice(0, 10));
    expect(days[0]?.localeCompare(oldest?.toISOString() ?? '')).toBe(1);
  });
});
