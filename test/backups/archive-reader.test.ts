import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ArchiveReader } from '../../src/backups/archive-reader.ts';
import { copyLine, endOfRows, firstLine } from '../../src/backups/archive-text.ts';
import type { ArchivedTable, Manifest } from '../../src/backups/manifest.ts';

const table = (name: string, rows: number): ArchivedTable => ({
  ...{ name, rows, columns: ['id'], triggers: false, days: null, storage: [] },
});
const empty = table('accounts', 0);
const full = table('events', 3);
const text = `${firstLine}BEGIN;\n${copyLine(empty)}${endOfRows}${copyLine(full)}a\n\\\\.\nb\n${endOfRows}COMMIT;\n`;
const file = gzipSync(text);
const manifest: Manifest = {
  ...{
    format: 2,
    key_id: '01234567',
    encrypted: false,
    id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
    created_at: '2026-11-21T02:30:00.000Z',
  },
  ...{ gateway_version: '0.1.0', migrations: ['Migration1'], rows: 3, sequences: [], audit_head: null },
  ...{ bytes: file.length, sha256: createHash('sha256').update(file).digest('hex'), tables: [empty, full] },
};

test.each([1, 2, 3, 5, 1000])('a file is read correctly in pieces of %d bytes', async (size) => {
  const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, n) =>
    file.subarray(n * size, (n + 1) * size),
  );
  const reader = new ArchiveReader(Readable.from(pieces), manifest, null);
  await reader.begin();
  const found: string[] = [];
  for (const described of manifest.tables) {
    let rows = '';
    for await (const chunk of reader.rowsOf(described)) rows += chunk.toString();
    found.push(rows);
  }
  await reader.finish();
  expect(found).toEqual(['', 'a\n\\\\.\nb\n']);
});
