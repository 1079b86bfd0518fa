import { expect, test } from 'vitest';
import { openSnapshot } from '../../src/backups/snapshot.ts';
import { migratedDatabase } from '../support/database.ts';
import { silenceableWay } from '../support/silenceable-way.ts';

test('a snapshot can be closed even when its connection is dead without an error', async () => {
  const way = await silenceableWay(new URL(await migratedDatabase()));
  const snapshot = await openSnapshot(way.url, new AbortController().signal);
  expect(snapshot.tables.length).toBeGreaterThan(0);
  way.fallSilent();
  await snapshot.close();
});
