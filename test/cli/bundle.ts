import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useForAll } from '../support/use.ts';

const run = promisify(execFile);

/** The bundle of the command line, in a folder without packages, for all tests of a file. */
export const useBundle = (): { folder: string; file: string } =>
  useForAll(
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gateway-cli-'));
      await run(process.execPath, [
        ...['node_modules/vite/bin/vite.js', 'build', '--config', 'src/cli/vite.config.ts'],
        ...['--outDir', folder, '--logLevel', 'warn'],
      ]);
      return { folder, file: join(folder, 'webhook-gateway.mjs') };
    },
    ({ folder }) => rmSync(folder, { recursive: true, force: true }),
  );
