import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { leavingReserve } from '../../src/backups/disk-reserve.ts';

// That a backup leaves the reserve is in full-disk.test.ts.

test.each([
  ['has no size', '/proc'],
  ['does not exist', '/no/such/folder'],
])('a file system that %s has no reserve', async (_, dir) => {
  const content = Readable.from([Buffer.from('one '), Buffer.from('two')]);
  expect(await text(content.pipe(leavingReserve(dir)))).toBe('one two');
});
