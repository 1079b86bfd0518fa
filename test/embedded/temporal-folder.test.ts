import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { commandOf } from '../../src/embedded/os-process.ts';
import { startTemporal } from '../../src/embedded/temporal.ts';
import { temporalProgram } from '../support/temporal-program.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { leftovers, log, onProgress, otherGateway, releasedAfterTest, takePort, temporaryFolder } from './helpers.ts';

// In a URI, the three begin a fragment, a query and an escaped character.
test("a folder with '#', '?' and '%' in its path contains its database, and the server of a killed gateway is taken over", async () => {
  const parent = temporaryFolder();
  const folder = join(parent, 'a#b?c%41');
  const other = await otherGateway(folder, 'temporal');
  expect(existsSync(join(folder, 'temporal.db'))).toBe(true);
  process.kill(other.pid, 'SIGKILL');
  const dataDir = await until('the folder is free', () => releasedAfterTest(openDataDir(folder)), {
    retryErrors: true,
  });
  expect(await commandOf(other.temporalPid)).toContain('start-dev');
  // It would take these ports rather than its own, if another gateway has let them go since the first start.
  await Promise.all([takePort(7233), takePort(8233)]);
  const server = await forTest(
    startTemporal({
      ...{ dataDir, program: await temporalProgram(onProgress), namespace: 'default' },
      ...{ uiPort: 8233, retentionHours: 72, log },
    }),
  );
  expect(await commandOf(other.temporalPid)).toBeNull();
  expect(server.address).toBe(other.address);
  expect(leftovers(folder)).toEqual([server.pid()]);
  expect(readdirSync(parent)).toEqual(['a#b?c%41']);
});
