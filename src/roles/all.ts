import { openDataDir } from '../embedded/data-dir.ts';
import { defaultCacheDir, findTemporalProgram } from '../embedded/temporal-program.ts';
import { checkPort } from '../http/serve.ts';
import type { RoleContext } from './role-context.ts';
import type { Undo } from './start-all.ts';
import { untilStopped } from './until-stopped.ts';

/**
 * The role `all`: an `api` and a `worker` as programs of their own, with an embedded PostgreSQL and Temporal unless others
 * are configured.
 * When a later step fails or the process is asked to stop, everything that was started is stopped in reverse order.
 *
 * The data folder, the port and the Temporal program are checked first. `start-all.ts` is loaded only after that: its
 * modules take a second of CPU time, which would delay the error for a wrong DATA_DIR or PORT.
 */
export async function runAll(context: RoleContext): Promise<void> {
  const { config, stopped } = context;
  const undo: Undo[] = [];
  try {
    const dataDir = openDataDir(config.dataDir);
    undo.push(() => dataDir.release());
    await checkPort(config);
    const { host, metricsPort: port } = config;
    if (port !== null) await checkPort({ host, port, setting: 'METRICS_PORT' });
    const program = config.temporal.address === null ? await temporalProgram(context) : null;
    const { startAll } = await import('./start-all.ts');
    await startAll(context, { dataDir, program, undo });
    await untilStopped(stopped);
    console.log('\nStopping …');
  } catch (error) {
    if (!stopped.aborted) throw error;
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function temporalProgram({ config, stopped }: RoleContext): Promise<string> {
  const { machine } = config;
  return findTemporalProgram({
    path: machine.path,
    cacheDir: defaultCacheDir(machine),
    onProgress: (line) => console.log(line),
    signal: stopped,
  });
}
