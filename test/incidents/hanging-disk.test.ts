import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { conditionsOfApi } from '../../src/roles/gateway-conditions.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { collectLines, log } from '../support/runtime.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
/** Node's threads for files; the default of https://nodejs.org/api/cli.html#uv_threadpool_sizesize. */
const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

/** Lets all looks at files hang until the test ends, as on a network file system whose server is away. */
function filesHang() {
  const pipe = join(folderForTest(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Opening a pipe for reading waits for a process that writes.
  const opening = Array.from({ length: threads }, () => open(pipe, 'r'));
  onTestFinished(async () => {
    const writing = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    for (const handle of await Promise.all(opening)) await handle.close();
    closeSync(writing);
  });
}

test('while a disk does not answer, a process sees its other conditions', { timeout: 60_000 }, async () => {
  const read = conditionsOfApi({ database, folders: [import.meta.dirname], log });
  await read();
  const warnings = collectLines('disk does not answer, its free space is unknown');
  filesHang();
  const causes = async () => (await read()).map(({ cause }) => cause);
  expect(await causes()).toContain('no worker runs');
  // The next round begins no second look.
  expect(await causes()).toContain('no worker runs');
  expect(warnings).toMatchObject([{ folder: import.meta.dirname }]);
});
