import { expect, test } from 'vitest';
import { openSnapshot } from '../../src/backups/snapshot.ts';
import { migratedDatabase } from '../support/database.ts';
import { proxyTo } from '../support/proxy-to.ts';

test('a snapshot can be closed even when its connection is dead without an error', async () => {
  const { proxy, url } = await proxyTo(await migratedDatabase());
  const snapshot = await openSnapshot(url, new AbortController().signal);
  expect(snapshot.tables.length).toBeGreaterThan(0);
  proxy.begin({ kind: 'silence' });
  await snapshot.close();
});
