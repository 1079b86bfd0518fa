import fc from 'fast-check';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { useTestLog } from './log.ts';

// Six purged entries, eight sealed ones (with that of the purge), and two unsealed ones.
const log = useTestLog();
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  await log.sealed(1, 6);
  vi.setSystemTime(Date.UTC(2026, 0, 20));
  await log.purge();
  await log.sealed(7, 13);
  await log.write(14, 15);
  vi.useRealTimers();
  await log.keep();
});
beforeEach(() => log.putBack());

type Columns = Record<string, fc.Arbitrary<unknown>>;

const text = fc.string({ unit: fc.constantFrom('a', 'é', '"', '\\', ' '), maxLength: 8 });
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const place = fc.oneof(
  fc.integer({ min: -3, max: 20 }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
);
const moment = fc.oneof(
  fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('infinity', '-infinity', '2026-01-20 00:00:00.000001Z', '2026-01-01Z'),
);
const orNull = (arbitrary: fc.Arbitrary<unknown>) => fc.option(arbitrary, { nil: null });

const logColumns: Columns = {
  id: fc.uuid(),
  actor: text,
  action: fc.oneof(text, fc.constantFrom('audit.purge', 'account.delete')),
  ip_address: text,
  created_at: moment,
  details: fc.json({ stringUnit: 'grapheme' }),
  noted_seq: orNull(place),
  noted_seal: orNull(bytes),
  mac: bytes,
  seq: orNull(place),
  seal: orNull(bytes),
  foreign_at: orNull(moment),
};
const chainColumns: Columns = {
  part: fc.constantFrom('head', 'anchor'),
  seq: place,
  seal: bytes,
  purged_before: orNull(moment),
  mac: bytes,
};

const change = (table: string, columns: Columns) =>
  fc
    .tuple(fc.nat(30), fc.constantFrom(...Object.keys(columns)))
    .chain(([row, column]) =>
      (columns[column] ?? text).map((value) => ({ kind: 'update', table, row, column, value })),
    );
const added = fc.record({
  kind: fc.constant('insert'),
  row: fc.nat(30),
  values: fc.record(logColumns, { requiredKeys: ['id'] }),
});
const removed = fc.record({
  kind: fc.constant('delete'),
  table: fc.constantFrom('audit_logs', 'audit_chain'),
  row: fc.nat(30),
});
const tampering = fc.oneof(
  { weight: 6, arbitrary: change('audit_logs', logColumns) },
  { weight: 2, arbitrary: change('audit_chain', chainColumns) },
  { weight: 2, arbitrary: added },
  { weight: 2, arbitrary: removed },
);
type Tampering = typeof tampering extends fc.Arbitrary<infer T> ? T : never;

/** The nth row, modulo their number. Only sealed entries are deleted: an unsealed one leaves no trace. */
const nth = (table: string, row: number, where = 'true') =>
  `ctid = (select ctid from ${table} where ${where} order by ctid offset
    ${row} % (select count(*) from ${table} where ${where}) limit 1)`;

async function apply(what: Tampering): Promise<void> {
  if ('column' in what) {
    await log.sql(`update ${what.table} set ${what.column} = $1 where ${nth(what.table, what.row)}`, [what.value]);
  } else if ('values' in what) {
    // A copy of a real entry, with some columns changed.
    const columns = Object.keys(logColumns);
    const given = Object.entries(what.values);
    const select = columns.map((column) => {
      const index = given.findIndex(([name]) => name === column);
      if (index >= 0) return `$${index + 1}`;
      return column === 'seq' ? 'null' : column;
    });
    await log.sql(
      `insert into audit_logs (${columns.join(', ')}) select ${select.join(', ')} from audit_logs where ${nth('audit_logs', what.row)}`,
      given.map(([, value]) => value),
    );
  } else {
    await log.sql(
      `delete from ${what.table} where ${nth(what.table, what.row, what.table === 'audit_logs' ? 'seq is not null' : 'true')}`,
    );
  }
}

const everything = async () =>
  JSON.stringify(
    await log.sql(`select (select array_agg(l::text order by l::text) from audit_logs l) as logs,
                     (select array_agg(c::text order by c::text) from audit_chain c) as chain`),
  );

test('the unchanged log verifies', async () => {
  expect(await log.verify()).toMatchObject({
    ok: true,
    checked: 8,
    unsealed: 2,
    anchor: { seq: 6 },
    head: { seq: 14 },
  });
});

test('any single change of a stored row is found', async () => {
  const untouched = await everything();
  let [found, refused, same] = [0, 0, 0];
  await fc.assert(
    fc
      .asyncProperty(tampering, async (what) => {
        const done = await apply(what).then(
          () => true,
          () => false,
        );
        // PostgreSQL itself refuses some changes, such as one place twice.
        if (!done) refused++;
        else if ((await everything()) === untouched) same++;
        else {
          found++;
          expect(await log.verify()).toMatchObject({ ok: false, failure: { message: expect.any(String) } });
        }
      })
      .afterEach(() => log.putBack()),
    { numRuns: 400 },
  );
  expect(found).toBeGreaterThan(200);
  expect(refused + same).toBeLessThan(200);
});
