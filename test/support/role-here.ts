import { readConfig } from '../../src/config.ts';
import { runApi } from '../../src/roles/api.ts';
import { runWorker } from '../../src/roles/worker.ts';
import { createLog } from '../../src/shared/log.ts';
import { cleanEnvironment, endsWithItsTest } from './gateway-process.ts';
import { type Exit, RoleOutput, type RunningRole } from './running-role.ts';
import { installTestRuntime } from './runtime.ts';

const run = { api: runApi, worker: runWorker };

/**
 * Runs a role inside the test's process, with the settings that a process would get. For tests that neither kill the
 * role nor check its exit code, because the start of a process takes two seconds of processor time.
 */
export function roleHere(role: keyof typeof run, variables: Record<string, string>): RunningRole {
  installTestRuntime();
  const output = new RoleOutput(`the ${role} in the test's process`);
  const config = readConfig(role, { ...cleanEnvironment(), ...variables });
  const stopping = new AbortController();
  const log = createLog(config.logLevel, { write: (line) => output.add('stderr', line) });
  let isRunning = true;
  const end = (code: number): Exit => {
    isRunning = false;
    output.end();
    return { code, signal: null };
  };
  const exited = run[role]({ config, log, stopped: stopping.signal, arguments: [] }).then(
    () => end(0),
    (error: unknown) => {
      output.add('stderr', error instanceof Error ? `${error.stack}\n` : String(error));
      return end(1);
    },
  );
  const running: RunningRole = {
    stdout: () => output.text('stdout'),
    stderr: () => output.text('stderr'),
    exited,
    isRunning: () => isRunning,
    printed: (pattern, where) => output.printed(pattern, where),
    stop() {
      stopping.abort();
      return exited;
    },
  };
  endsWithItsTest(running);
  return running;
}
