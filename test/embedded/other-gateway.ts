/** A process: `node other-gateway.ts <folder> [postgres] [temporal]`. Prints its servers' addresses and waits to be killed. */
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { startTemporal } from '../../src/embedded/temporal.ts';
import { defaultCacheDir, findTemporalProgram } from '../../src/embedded/temporal-program.ts';
import { createLog } from '../../src/shared/log.ts';

const [, , folder = '', ...servers] = process.argv;
const log = createLog('silent');
const onProgress = () => undefined;
const dataDir = openDataDir(folder);
const postgres = servers.includes('postgres') ? await startPostgres({ dataDir, log, onProgress }) : null;
const cacheDir = defaultCacheDir({ cacheHome: process.env.XDG_CACHE_HOME ?? null, home: process.env.HOME ?? null });
const temporal = servers.includes('temporal')
  ? await startTemporal({
      dataDir,
      program: await findTemporalProgram({ path: '', cacheDir, onProgress }),
      namespace: 'default',
      uiPort: 8233,
      retentionHours: 72,
      log,
    })
  : null;
console.log(
  JSON.stringify({
    postgresPid: postgres?.pid(),
    temporalPid: temporal?.pid(),
    url: postgres?.url,
    address: temporal?.address,
  }),
);
// A gateway that is still busy ignores the SIGINT of a terminal's Ctrl-C for now.
process.on('SIGINT', () => undefined);
setInterval(() => undefined, 60_000);
