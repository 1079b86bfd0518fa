import { expect, test } from 'vitest';
import { AccountDirectory } from '../../src/accounts/account-directory.ts';
import { BatcherFull } from '../../src/database/batcher.ts';
import type { Sql } from '../../src/database/sql.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { randomKeyring } from '../support/keyring.ts';

/**
 * A database whose reads end when the test calls `finish`, with the rows from when they began. Slugs that begin with
 * `no-` have no account.
 */
function slowDatabase() {
  let appKey = 'old';
  const reads: { slugs: string[]; over: 'known' | 'strangers'; finish(): void; fail(): void }[] = [];
  const connections = (over: 'known' | 'strangers'): Sql => ({
    // biome-ignore lint/suspicious/noExplicitAny: such rows fit every query here
    query: (_statement, [, slugs]: any[]): Promise<any> => {
      const secrets = { signing_secret_current: null, signing_secret_previous: null };
      const rows = (slugs as string[]).flatMap((slug, n) =>
        slug.startsWith('no-')
          ? []
          : {
              place: n + 1,
              id: slug,
              provider: 'generic',
              account_slug: slug,
              app_key: appKey,
              enabled: true,
              ...{ has_address: true, consumers_revision: 0, consumers: null },
              ...secrets,
            },
      );
      return new Promise((resolve, reject) => {
        reads.push({ slugs, over, finish: () => resolve(rows), fail: () => reject(new Error('gone')) });
      });
    },
  });
  const directory = new AccountDirectory({
    ...{ sql: connections('known'), strangers: connections('strangers') },
    box: createSecretBox(randomKeyring()),
    readConfig: () => ({}),
  });
  const change = (to: string) => {
    appKey = to;
  };
  /** Finishes all reads, including those that start as a result. */
  const finishAll = async () => {
    for (let n = 0; n < 5; n++) {
      await soon();
      for (const read of reads) read.finish();
    }
  };
  return { directory, reads, change, finishAll };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));
const client = () => '192.0.2.1';

test('a fresh read never shares a read that began before it', async () => {
  const { directory, change, finishAll } = slowDatabase();
  const early = [directory.lookup('generic', 'a', client), directory.lookup('generic', 'a', client)];
  await soon();
  change('new');
  const late = directory.fresh('generic', 'a', client);
  await finishAll();
  expect((await Promise.all(early)).map(({ account }) => account?.appKey)).toEqual(['old', 'old']);
  expect((await late)?.appKey).toBe('new');
  expect(await directory.lookup('generic', 'a', client)).toMatchObject({ account: { appKey: 'new' }, fresh: false });
});

test('a read that ends late does not overwrite the result of a later read', async () => {
  const { directory, reads, change } = slowDatabase();
  const early = directory.fresh('generic', 'a', client);
  await soon();
  change('new');
  const late = directory.fresh('generic', 'a', client);
  await soon();
  reads[1]?.finish();
  expect((await late)?.appKey).toBe('new');
  reads[0]?.finish();
  expect((await early)?.appKey).toBe('old');
  expect((await directory.lookup('generic', 'a', client)).account?.appKey).toBe('new');
});

test('concurrent lookups of one address share one read', async () => {
  const { directory, reads, finishAll } = slowDatabase();
  const crowd = Array.from({ length: 100 }, () => directory.fresh('generic', 'a', client));
  await finishAll();
  expect((await Promise.all(crowd)).map((account) => account?.id)).toEqual(Array(100).fill('a'));
  expect(reads.map(({ slugs }) => slugs)).toEqual([['a']]);
});

test('each lookup of an address without an account costs one read: missing accounts are not cached', async () => {
  const { directory, reads, finishAll } = slowDatabase();
  for (let n = 1; n <= 2; n++) {
    const lookup = directory.lookup('generic', 'no-account', client);
    await finishAll();
    expect(await lookup).toMatchObject({ account: null, fresh: true });
    expect(reads).toHaveLength(n);
  }
});

test('concurrent lookups of different addresses share one statement', async () => {
  const { directory, reads, finishAll } = slowDatabase();
  const slugs = Array.from({ length: 300 }, (_, n) => (n % 3 === 0 ? `a-${n}` : `no-${n}`));
  const lookups = slugs.map((slug) => directory.lookup('generic', slug, client));
  await finishAll();
  expect((await Promise.all(lookups)).map(({ account }) => account?.id ?? null)).toEqual(
    slugs.map((slug) => (slug.startsWith('no-') ? null : slug)),
  );
  expect(reads).toHaveLength(1);
});

test('unknown addresses are read over separate connections, known ones over those of ingestion', async () => {
  const { directory, reads, finishAll } = slowDatabase();
  const first = directory.lookup('generic', 'a', client);
  await finishAll();
  await first;
  const again = directory.fresh('generic', 'a', client);
  const other = directory.lookup('generic', 'no-account', client);
  await finishAll();
  await Promise.all([again, other]);
  expect(reads.map(({ slugs, over }) => [slugs[0], over]).sort()).toEqual([
    ['a', 'known'],
    ['a', 'strangers'],
    ['no-account', 'strangers'],
  ]);
});

test('while reads of unknown addresses hang, one client cannot fill the queue, and known ones are read', async () => {
  const { directory, reads, finishAll } = slowDatabase();
  const first = directory.lookup('generic', 'a', client);
  await finishAll();
  await first;
  const flood = Array.from({ length: 1_500 }, (_, n) => directory.lookup('generic', `no-${n}`, client));
  const outcomes = Promise.allSettled(flood);
  await soon();
  const known = directory.fresh('generic', 'a', client);
  const ofOther = directory.lookup('generic', 'b', () => '192.0.2.2');
  await soon();
  reads.findLast(({ over }) => over === 'known')?.finish();
  expect((await known)?.id).toBe('a');
  await finishAll();
  expect((await ofOther).account?.id).toBe('b');
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(500);
  expect(refused).toMatchObject(Array(500).fill({ reason: expect.any(BatcherFull) }));
  // The client's share of the queue is free again.
  const after = directory.lookup('generic', 'no-more', client);
  await finishAll();
  expect((await after).account).toBe(null);
});

test('a failed read fails its callers, and the next read is still made', async () => {
  const { directory, reads, finishAll } = slowDatabase();
  const first = directory.fresh('generic', 'a', client);
  await soon();
  const second = directory.fresh('generic', 'a', client);
  reads[0]?.fail();
  await expect(first).rejects.toThrow('gone');
  await finishAll();
  expect((await second)?.id).toBe('a');
});
