import { type Role, readConfig } from '../../src/config/config.ts';
import { settingsInForce } from '../../src/config/in-force.ts';
import { failureText, runRole } from '../../src/roles/run-role.ts';
import { createLog } from '../../src/shared/log.ts';
import { endsWithItsTest, environmentOf } from './gateway-process.ts';
import { type Exit, RoleOutput, type RunningRole } from './running-role.ts';
import { installTestRuntime } from './runtime.ts';

/**
 * Runs a role inside the test's process, with the settings that a process would get. For tests that neither kill the
 * role nor check its exit code, because the start of a process takes two seconds of processor time.
 */
export function roleHere(role: Role, variables: Record<string, string | undefined>, args: string[] = []): RunningRole {
  installTestRuntime();
  const output = new RoleOutput(`the ${role} in the test's process`);
  const stopping = new AbortController();
  let isRunning = true;
  const end = (code: number): Exit => {
    isRunning = false;
    output.end();
    return { code, signal: null };
  };
  const runs = async () => {
    const env = environmentOf(role, variables);
    const config = readConfig(role, env);
    const settings = settingsInForce(config, env, new Set());
    const log = createLog(config.logLevel, { write: (line) => output.add('stderr', line) });
    await runRole(role, {
      ...{ config, settings, environment: env, log, stopped: stopping.signal, arguments: args },
      ready: () => undefined,
    });
  };
  const exited = runs().then(
    () => end(0),
    (error: unknown) => {
      output.add('stderr', failureText(error));
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
