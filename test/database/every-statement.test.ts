import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { migratedDatabase } from '../support/database.ts';
import { cleanEnvironment } from '../support/gateway-process.ts';
import { withClient } from '../support/one-connection.ts';
import type { FoundStatement } from './collect-statements.ts';

const collector = fileURLToPath(new URL('collect-statements.ts', import.meta.url));
/** What has a plan. PostgreSQL explains nothing else. */
const planned = /^\s*\(?(select|with|insert|update|delete)\b/i;

test('PostgreSQL has a plan for each statement of the product, also for those that are rarely needed', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [collector], {
    env: cleanEnvironment(),
    maxBuffer: 2 ** 26,
  });
  const statements: FoundStatement[] = JSON.parse(stdout);
  const explained = statements.filter(({ text }) => planned.test(text));
  // The product has more than 200 constants that are statements: if few are found, the collector is wrong.
  expect(explained.length).toBeGreaterThan(200);
  const refused = await withClient(await migratedDatabase(), async (client) => {
    const errors: string[] = [];
    for (const { file, name, text } of explained)
      await client.query(`explain (generic_plan) ${text}`).catch((error: unknown) => {
        errors.push(`${file}, ${name}: ${String(error)}`);
      });
    return errors;
  });
  expect(refused).toEqual([]);
});
