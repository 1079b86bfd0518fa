import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig, roles } from './config/config.ts';
import { settingsInForce } from './config/in-force.ts';
import { startedByVariable } from './config/npm-start.ts';
import type { Told } from './roles/role-context.ts';
import { failureText, runRole } from './roles/run-role.ts';
import { exitWhenIdle } from './shared/exit.ts';
import { createLog, logNodeWarnings } from './shared/log.ts';
import { StartError } from './shared/start-error.ts';
import { logIds } from './telemetry/tracing/spans.ts';

/** The limit for graceful shutdown, within which each role gives up what is still in flight (src/roles/api.ts). */
const stopLimitMs = 40_000;
/** How long a process may then take to close its connections in order. After it, the process exits immediately. */
const closeLimitMs = 5_000;
/**
 * Signals within this time after the first one count as the same request. A terminal sends Ctrl-C to the whole process
 * group, and npm forwards it to the gateway again, on a busy machine after several hundred milliseconds.
 */
const sameRequestMs = 2_000;
/**
 * libuv's threads for name servers, files and compression. Lookups get half of them, and each waits up to 10 s for a name
 * server that does not answer: with the default of four, two such names would hold up all deliveries.
 */
const threads = '16';
/** On which a program of `npm start` says that it is ready, or why it ends (src/roles/program.ts). */
const toldDescriptor = 3;
const tell = (told: Told) => void writeSync(toldDescriptor, `${JSON.stringify(told)}\n`);

/** Shows why this process ends. */
let showFailure = (text: string) => console.error(text);

async function main(): Promise<void> {
  const role = roles.find((name) => name === (process.argv[2] ?? 'all'));
  if (!role) throw new StartError(`There is no role '${process.argv[2]}'. The roles are: ${roles.join(', ')}.`);
  // Otherwise, only readConfig and settingsInForce, which is told what readConfig has read, get the environment.
  const { env } = process;
  const given = new Set(Object.keys(env));
  // What npm start has read is in the environment of its programs. One that it starts again must not read a later edit.
  if (!env[startedByVariable]) loadEnvFile();
  const fromFile = new Set(Object.keys(env).filter((name) => !given.has(name)));
  // Works because nothing has used a thread yet (https://docs.libuv.org/en/v1.x/threadpool.html).
  env.UV_THREADPOOL_SIZE ??= threads;
  const config = readConfig(role, env);
  const log = createLog(config.logLevel, undefined, config.tracing && logIds);
  logNodeWarnings(log);
  const stopping = new AbortController();
  let stoppingSinceMs: number | null = null;
  const stop = (signal: string) => {
    if (stoppingSinceMs !== null) {
      if (performance.now() - stoppingSinceMs < sameRequestMs) return;
      // After a second request, exits immediately. The next start stops embedded servers that still run.
      process.exit(1);
    }
    stoppingSinceMs = performance.now();
    log.info({ signal }, 'stopping');
    stopping.abort();
    // One after the other: a process that stood still until both have passed closes its connections, too.
    setTimeout(() => setTimeout(() => process.exit(1), closeLimitMs).unref(), stopLimitMs).unref();
  };
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGHUP', () => stop('SIGHUP'));
  if (config.startedBy) {
    endWithNpmStart();
    // Two programs may fail for the same reason, which npm start shows once.
    showFailure = (failed) => tell({ failed });
  }
  await runRole(role, {
    ...{ config, log, environment: env, arguments: process.argv.slice(3) },
    settings: settingsInForce(config, env, fromFile),
    stopped: stopping.signal,
    ready(ready) {
      if (config.startedBy) tell({ ready });
    },
  });
}

/**
 * Ends this process when `npm start`, which holds the other end of its standard input, has died. Its next start has
 * programs of its own, which take over what is in flight. SIGKILL, because an exit would wait for threads.
 */
function endWithNpmStart(): void {
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume();
  if ('unref' in process.stdin) process.stdin.unref();
}

/** Loads the .env file next to package.json, if there is one. Variables that are already set take precedence. */
function loadEnvFile(): void {
  try {
    process.loadEnvFile(fileURLToPath(new URL('../.env', import.meta.url)));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

main().then(
  () => exitWhenIdle(0),
  (error: unknown) => {
    showFailure(failureText(error));
    process.exit(1);
  },
);
