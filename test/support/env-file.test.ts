import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { refuseEnvFile } from './env-file.ts';
import { folderForTest } from './folder-for-test.ts';

const example = fileURLToPath(new URL('../../.env.example', import.meta.url));

/** A checkout with this .env file, null: without one. */
function checkout(text: string | null): string {
  const folder = folderForTest();
  copyFileSync(example, join(folder, '.env.example'));
  if (text !== null) writeFileSync(join(folder, '.env'), text);
  return folder;
}

test('an .env file that names other servers is refused, without its values', () => {
  const text = 'LOG_LEVEL=\nDATABASE_URL=postgres://me:secret@staging/gateway\nTEMPORAL_NAMESPACE=staging\n';
  expect(() => refuseEnvFile(checkout(text))).toThrow(/\.env, which sets DATABASE_URL, TEMPORAL_NAMESPACE\. Move/);
});

test('no .env file, an empty one, and an unchanged copy of .env.example are not refused', () => {
  refuseEnvFile(checkout(null));
  refuseEnvFile(checkout(''));
  const unchanged = checkout(null);
  copyFileSync(example, join(unchanged, '.env'));
  refuseEnvFile(unchanged);
});
