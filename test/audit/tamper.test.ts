import { beforeEach, describe, expect, test } from 'vitest';
import { Tampered } from '../../src/audit/chain.ts';
import type { NotedPoint } from '../../src/audit/verify.ts';
import { until } from '../support/until.ts';
import { useTestLog } from './log.ts';

const log = useTestLog();
// Twenty sealed entries and two unsealed ones.
beforeEach(async () => {
  await log.clear();
  await log.sealed(1, 20);
  await log.write(21, 22);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 20, unsealed: 2 });
});

const idOf = async (n: number) =>
  String((await log.sql(`select id from audit_logs where details->>'n' = $1`, [n]))[0]?.id);
const head = async (): Promise<NotedPoint> => {
  const verified = await log.verify();
  if (!verified.head) throw new Error('there is no head');
  return verified.head;
};

const changes = [
  ['id', 'gen_random_uuid()'],
  ['actor', `'mallory'`],
  ['actor', `actor || ' '`],
  ['action', `'account.delete'`],
  ['ip_address', `''`],
  ['created_at', `created_at + interval '1 microsecond'`],
  ['created_at', `created_at - interval '1 year'`],
  ['created_at', `'infinity'`],
  ['created_at', `'-infinity'`],
  ['created_at', `'4713-01-01 BC'`],
  ['details', `'{}'`],
  ['details', `(details::text || ' ')::json`],
  ['details', `'"not an object"'`],
  ['noted_seq', 'coalesce(noted_seq, 0) + 1'],
  ['noted_seal', `'x'`],
  ['mac', `set_byte(mac, 31, get_byte(mac, 31) # 1)`],
  ['mac', `''`],
] as const;

test.each(changes)('a sealed entry whose %s became %s is named', async (column, value) => {
  await log.sql(`update audit_logs set ${column} = ${value} where seq = 7`);
  const [row] = await log.sql('select id from audit_logs where seq = 7');
  expect(await log.verify()).toMatchObject({
    ...{ ok: false, checked: 6, unsealed: 2 },
    failure: { kind: 'changed', seq: 7, id: row?.id, message: expect.any(String) },
  });
});

test.each(changes)(
  'an entry whose %s became %s before it was sealed is named, and never sealed',
  async (column, value) => {
    await log.sql(`update audit_logs set ${column} = ${value} where details->>'n' = '21'`);
    const [row] = await log.sql(`select id from audit_logs where seq is null and details->>'n' is distinct from '22'`);
    const failure = { kind: 'foreign', seq: null, id: row?.id };
    expect(await log.verify()).toMatchObject({ ok: false, checked: 20, unsealed: 2, failure });
    expect(await log.sealer.seal()).toBe(1);
    expect(await log.verify()).toMatchObject({ ok: false, checked: 21, unsealed: 0, failure });
  },
);

test.each([
  ['seal', 'null', 'changed', 7],
  ['seal', `'x'`, 'changed', 7],
  ['foreign_at', 'now()', 'changed', 7],
  ['seq', 'null', 'missing', 7],
  ['seq', '-7', 'missing', 7],
  ['seq', '0', 'missing', 7],
  ['seq', '21', 'missing', 7],
  ['seq', '9223372036854775807', 'missing', 7],
])('a sealed entry whose %s became %s', async (column, value, kind, seq) => {
  await log.sql(`update audit_logs set ${column} = ${value} where seq = 7`);
  expect(await log.verify()).toMatchObject({ ok: false, checked: 6, failure: { kind, seq } });
});

test.each([
  ['seal', `'x'`, 'changed'],
  ['foreign_at', 'now()', 'foreign'],
  ['seq', '21', 'foreign'],
  ['seq', '0', 'foreign'],
  ['seq', '9223372036854775807', 'foreign'],
])('an unsealed entry whose %s became %s', async (column, value, kind) => {
  const id = await idOf(21);
  await log.sql(`update audit_logs set ${column} = ${value} where id = $1`, [id]);
  expect(await log.verify()).toMatchObject({ ok: false, checked: 20, failure: { kind, id } });
});

describe('deleted', () => {
  test.each([
    ['the first', 'seq = 1', 1],
    ['the first five', 'seq <= 5', 1],
    ['one in the middle', 'seq = 10', 10],
    ['two of them', 'seq in (12, 15)', 12],
    ['the last', 'seq = 20', 20],
    ['the last ten', 'seq > 10', 11],
    ['all that are sealed', 'seq > 0', 1],
    ['all', 'true', 1],
  ])('%s', async (_which, where, seq) => {
    await log.sql(`delete from audit_logs where ${where}`);
    const failure = { kind: 'missing', seq, id: null };
    expect(await log.verify()).toMatchObject({ ok: false, checked: seq - 1, failure });
    // Entries that are sealed later do not hide it.
    await log.sealed(23, 24);
    expect(await log.verify()).toMatchObject({ ok: false, checked: seq - 1, failure });
  });

  test('the head: later entries are not sealed', async () => {
    await log.sql('delete from audit_chain');
    expect(await log.verify()).toMatchObject({ ok: false, head: null, failure: { kind: 'missing' } });
    await expect(log.sealer.seal()).rejects.toThrow(Tampered);
    expect(await log.verify()).toMatchObject({ ok: false, unsealed: 2 });
  });
});

describe('newest entries cut off and an older head restored', () => {
  test('is found only against a noted head, even after more entries were sealed', async () => {
    await log.sealer.seal();
    const [early, noted] = [await head(), await head()];
    await log.sealed(23, 30);
    const late = await head();
    await log.clear();
    await log.sealed(1, 20);
    await log.keep();
    const old = await head();
    await log.sealed(21, 30);
    const cut = await head();
    await log.putBack();
    expect(await log.verify()).toMatchObject({ ok: true, checked: 20 });
    expect(await log.verify(old)).toMatchObject({ ok: true, checked: 20 });
    expect(await log.verify(cut)).toMatchObject({ ok: false, failure: { kind: 'missing', seq: 21 } });
    await log.sealed(31, 45);
    expect(await log.verify()).toMatchObject({ ok: true, checked: 35 });
    expect(await log.verify(old)).toMatchObject({ ok: true });
    expect(await log.verify(cut)).toMatchObject({ ok: false, checked: 29, failure: { kind: 'changed', seq: 30 } });
    // Heads of a different chain.
    for (const other of [early, noted, late])
      expect(await log.verify(other)).toMatchObject({ ok: false, failure: { kind: 'changed', seq: other.seq } });
  });

  test('a deletion of everything looks like a new log, except against a noted head', async () => {
    const noted = await head();
    await log.clear();
    expect(await log.verify()).toMatchObject({ ok: true, head: null });
    expect(await log.verify(noted)).toMatchObject({ ok: false, failure: { kind: 'missing', seq: 1 } });
  });

  test('an older head without the deletion of later entries is found', async () => {
    await log.keep();
    await log.sealer.seal();
    await log.sql('delete from audit_chain');
    await log.sql('insert into audit_chain select * from kept_audit_chain');
    expect(await log.verify()).toMatchObject({ ok: false, checked: 20, failure: { kind: 'missing', seq: 21 } });
    await log.write(23, 23);
    await expect(log.sealer.seal()).rejects.toThrow();
    expect(await log.verify()).toMatchObject({ ok: false, checked: 20, failure: { kind: 'missing', seq: 21 } });
  });

  test('a wrong noted head does not verify', async () => {
    const noted = await head();
    expect(await log.verify({ ...noted, seal: noted.seal.toUpperCase() })).toMatchObject({ ok: true });
    for (const seal of ['', 'zz', noted.seal.slice(2), `${noted.seal}00`])
      expect(await log.verify({ seq: 20, seal })).toMatchObject({ ok: false, failure: { kind: 'changed', seq: 20 } });
    await expect(log.verify({ seq: 0, seal: noted.seal })).rejects.toThrow(RangeError);
  });
});

/** Writes entries until one of them notes the present head. Returns the number of entries. */
async function untilNoted(): Promise<number> {
  const { seq } = await head();
  let written = 0;
  await until('an entry notes the head', async () => {
    await log.write(99, 99);
    written++;
    return (await log.sql('select 1 from audit_logs where noted_seq = $1 and seq is null', [seq])).length > 0;
  });
  return written;
}

describe('a chain that an attacker has sealed again', () => {
  // An attacker who knows the sealer can unseal entries and have it seal them again: it seals every unsealed entry.
  const unseal = (where: string) => log.sql(`update audit_logs set seq = null, seal = null where ${where}`);

  test('completely, without one entry', async () => {
    await untilNoted();
    await log.sealer.seal();
    await log.sql('delete from audit_logs where seq = 7');
    await log.sql('delete from audit_chain');
    await unseal('true');
    expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'changed' } });
    await log.sealer.seal();
    expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'changed' } });
  });

  test('from an older head on, without one entry', async () => {
    await log.keep();
    await log.sealer.seal();
    await untilNoted();
    await log.sealer.seal();
    await log.sql('delete from audit_chain');
    await log.sql('insert into audit_chain select * from kept_audit_chain');
    await log.sql('delete from audit_logs where seq = 21');
    await unseal('seq > 20');
    expect(await log.verify()).toMatchObject({ ok: false, checked: 20, failure: { kind: 'changed' } });
    await log.sealer.seal();
    expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'changed' } });
  });

  test('after a cut is found through the entries of a gateway that ran before the cut', async () => {
    await log.keep();
    await log.sealer.seal();
    await untilNoted();
    await log.putBack({ restart: false });
    await log.sql(`delete from audit_logs where details->>'n' = '22'`);
    expect(await log.verify()).toMatchObject({ ok: true, checked: 20 });
    await log.write(23, 23);
    expect(await log.verify()).toMatchObject({ ok: false, checked: 20, failure: { kind: 'changed', seq: null } });
    await log.sealer.seal();
    expect(await log.verify()).toMatchObject({ ok: false, checked: 21, failure: { kind: 'changed', seq: 22 } });
  });

  test('the unchanged chain verifies, with entries that note older heads', async () => {
    await untilNoted();
    await log.sealer.seal();
    const { seq } = await head();
    await untilNoted();
    await log.sealer.seal();
    expect(await log.verify()).toMatchObject({ ok: true });
    expect(seq).toBeGreaterThan(20);
  });
});

describe('head and anchor', () => {
  test.each([
    'seq = seq - 1',
    'seq = seq + 1',
    'seq = 9223372036854775807',
    `seal = (select seal from audit_logs where seq = 19)`,
    `seq = 19, seal = (select seal from audit_logs where seq = 19)`,
    `mac = 'x'`,
    'purged_before = now()',
    `purged_before = 'infinity'`,
    `part = 'anchor'`,
  ])('a head with %s', async (change) => {
    await log.sql(`update audit_chain set ${change}`);
    expect(await log.verify()).toMatchObject({ ok: false, head: null, failure: { kind: 'changed' } });
    await expect(log.sealer.seal()).rejects.toThrow(Tampered);
  });

  test('an anchor made of the head does not excuse a deletion', async () => {
    await log.sql(`insert into audit_chain select 'anchor', seq, seal, purged_before, mac from audit_chain`);
    await log.sql('delete from audit_logs where seq is not null');
    expect(await log.verify()).toMatchObject({ ok: false, anchor: null, failure: { kind: 'changed' } });
  });
});

describe('foreign rows', () => {
  const copyOf = (
    seq: string,
    seal: string,
    content = `'mallory', action, ip_address, created_at, details, noted_seq, noted_seal, mac`,
  ) =>
    log.sql(`insert into audit_logs (id, actor, action, ip_address, created_at, details, noted_seq, noted_seal, mac, seq, seal)
      select gen_random_uuid(), ${content}, ${seq}, ${seal} from audit_logs where seq = 7`);

  test.each([
    ['unsealed', 'null', 'null'],
    ['with a seal and no place', 'null', 'seal'],
    ['beyond the head', '21', 'seal'],
    ['far beyond the head', '9223372036854775807', `'x'`],
    ['before the beginning', '0', 'seal'],
    ['far before the beginning', '-9223372036854775808', 'null'],
  ])('%s', async (_where, seq, seal) => {
    await copyOf(seq, seal);
    expect(await log.verify()).toMatchObject({ ok: false, checked: 20, failure: { kind: 'foreign' } });
  });

  test('an exact copy with another id', async () => {
    await copyOf('null', 'null', 'actor, action, ip_address, created_at, details, noted_seq, noted_seal, mac');
    expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'foreign' } });
  });

  test('with the lowest and the highest id', async () => {
    for (const digit of ['0', 'f']) {
      await log.sql(
        `insert into audit_logs values ('${'########-####-####-####-############'.replaceAll('#', digit)}', 'a', 'b', 'c', now(), '{}', null, null, 'x')`,
      );
      expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'foreign' } });
      await log.sql(`delete from audit_logs where actor = 'a'`);
    }
  });

  test('at a place that is taken, after the index was dropped', async () => {
    await log.sql('drop index audit_logs_chain');
    for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
      await log.sql(`insert into audit_logs select '${id}', actor, action, ip_address, created_at, details, noted_seq, noted_seal, mac, seq, seal
        from audit_logs where seq = 20`);
      expect(await log.verify()).toMatchObject({ ok: false });
      await log.sql('delete from audit_logs where id = $1', [id]);
    }
    await log.sql('create unique index audit_logs_chain on audit_logs (seq) where seq is not null');
  });

  test('more of them than a batch do not stop the sealer from sealing real entries', async () => {
    await log.sql(
      `insert into audit_logs select gen_random_uuid(), 'a', 'b', 'c', now(), '{}', null, null, 'x' from generate_series(1, 2500)`,
    );
    expect(await log.sealer.seal()).toBe(2);
    expect(await log.verify()).toMatchObject({ ok: false, checked: 22, unsealed: 0, failure: { kind: 'foreign' } });
    await log.sealed(23, 23);
    expect(await log.verify()).toMatchObject({ ok: false, checked: 23 });
  });
});

test.each([
  ['places', 'seq'],
  ['places and seals', 'seq, seal'],
  ['contents', 'actor, action, ip_address, created_at, details, noted_seq, noted_seal'],
  ['contents with their MACs', 'actor, action, ip_address, created_at, details, noted_seq, noted_seal, mac'],
  ['everything but the place', 'id, actor, action, ip_address, created_at, details, noted_seq, noted_seal, mac, seal'],
])('two sealed entries that exchanged their %s', async (_what, columns) => {
  const list = columns.split(', ');
  await log.sql('drop index audit_logs_chain; alter table audit_logs drop constraint audit_logs_pkey');
  await log.sql(`update audit_logs a set (${columns}) = row(${list.map((column) => `b.${column}`).join(', ')})
    from audit_logs b where (a.seq, b.seq) in ((5, 15), (15, 5))`);
  await log.sql(
    'alter table audit_logs add primary key (id); create unique index audit_logs_chain on audit_logs (seq) where seq is not null',
  );
  expect(await log.verify()).toMatchObject({ ok: false, checked: 4, failure: { kind: 'changed', seq: 5 } });
});
