import { expect, test } from 'vitest';
import { AccountDirectory } from '../../src/accounts/account-directory.ts';
import type { Sql } from '../../src/database/database.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { randomKeyring } from '../support/keyring.ts';

/** A database whose reads answer when they are told to, with what it holds when they begin. */
function slowDatabase() {
  let appKey = 'old';
  const reads: { finish(): void; fail(): void }[] = [];
  const sql: Sql = {
    // biome-ignore lint/suspicious/noExplicitAny: one row fits every query here
    query: (): Promise<any> => {
      const secrets = { signing_secret_current: null, signing_secret_previous: null };
      const row = { id: 'id', provider: 'generic', account_slug: 'a', app_key: appKey, enabled: true, ...secrets };
      return new Promise((resolve, reject) => {
        reads.push({ finish: () => resolve([row]), fail: () => reject(new Error('gone')) });
      });
    },
  };
  const directory = new AccountDirectory({ sql, box: createSecretBox(randomKeyring()), readConfig: () => ({}) });
  const change = (to: string) => {
    appKey = to;
  };
  return { directory, reads, change };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

test('a fresh read is never one that began before a change', async () => {
  const { directory, reads, change } = slowDatabase();
  const early = [directory.get('generic', 'a'), directory.fresh('generic', 'a')];
  await soon();
  change('new');
  const late = directory.fresh('generic', 'a');
  for (let n = 0; n < 3; n++) {
    for (const read of reads) read.finish();
    await soon();
  }
  expect((await Promise.all(early)).map((account) => account?.appKey)).toEqual(['old', 'old']);
  expect((await late)?.appKey).toBe('new');
  expect((await directory.get('generic', 'a'))?.appKey).toBe('new');
});

test('a crowd of fresh reads shares two', async () => {
  const { directory, reads } = slowDatabase();
  const crowd = Array.from({ length: 100 }, () => directory.fresh('generic', 'a'));
  reads[0]?.finish();
  await soon();
  reads[1]?.finish();
  expect((await Promise.all(crowd)).map((account) => account?.id)).toEqual(Array(100).fill('id'));
  expect(reads).toHaveLength(2);
});

test('a read that fails fails its callers, and the next one is made', async () => {
  const { directory, reads } = slowDatabase();
  const first = directory.fresh('generic', 'a');
  const second = directory.fresh('generic', 'a');
  reads[0]?.fail();
  await expect(first).rejects.toThrow('gone');
  await soon();
  reads[1]?.finish();
  expect((await second)?.id).toBe('id');
});
