import { fileURLToPath } from 'node:url';
import { readConfig, roles } from './config.ts';
import { failureText, runRole } from './roles/run-role.ts';
import { createLog } from './shared/log.ts';
import { StartError } from './shared/start-error.ts';

/** Ends the process the hard way when a clean stop takes longer than this. */
const stopLimitMs = 45_000;
/**
 * Signals this soon after the first one are the same request. A terminal sends Ctrl-C to the whole process group, and npm then
 * forwards it to the gateway a second time; on a busy machine npm takes some hundred milliseconds to do so.
 */
const sameRequestMs = 2_000;

async function main(): Promise<void> {
  const role = roles.find((name) => name === (process.argv[2] ?? 'all'));
  if (!role) throw new StartError(`There is no role '${process.argv[2]}'. The roles are: ${roles.join(', ')}.`);
  loadEnvFile();
  // biome-ignore lint/style/noProcessEnv: handed to the one reader of the environment
  const config = readConfig(role, process.env);
  const log = createLog(config.logLevel);
  const stopping = new AbortController();
  let stoppingSinceMs: number | null = null;
  const stop = (signal: string) => {
    if (stoppingSinceMs !== null) {
      if (performance.now() - stoppingSinceMs < sameRequestMs) return;
      // A second request: the user does not want to wait. The next start finds and stops embedded servers that still run.
      process.exit(1);
    }
    stoppingSinceMs = performance.now();
    log.info({ signal }, 'stopping');
    stopping.abort();
    setTimeout(() => process.exit(1), stopLimitMs).unref();
  };
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGHUP', () => stop('SIGHUP'));
  await runRole(role, { config, log, stopped: stopping.signal, arguments: process.argv.slice(3) });
}

/** An .env file beside package.json, for people who keep their settings there; what is set already wins. */
function loadEnvFile(): void {
  try {
    process.loadEnvFile(fileURLToPath(new URL('../.env', import.meta.url)));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(failureText(error));
    process.exit(1);
  },
);
