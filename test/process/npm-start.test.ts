import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { processTree, type SeenProcess, stillRunning } from '../support/descendants.ts';
import { startedFolder, startWholeGateway } from '../support/gateway-all.ts';
import { cleanEnvironment, gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { killFound } from '../support/kill.ts';
import { hang } from '../support/replies.ts';
import { until } from '../support/until.ts';
import { withoutBusyLines } from '../support/without-busy-lines.ts';
import { longAttempts } from './in-flight.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
gatewaysEndWithTheirTest();

/** The kernel needs a moment to remove processes that have ended. */
const nothingIsLeft = (processes: SeenProcess[]) =>
  until('the processes have ended', () => stillRunning(processes).length === 0);

/** Runs `npm start` in its own process group, as a shell or a supervisor does, until the gateway has started. */
async function npmStart(dataDir: string) {
  const child = spawn('npm', ['start'], {
    cwd: project,
    env: { ...cleanEnvironment(), PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const npmPid = child.pid ?? 0;
  const tree = () => processTree(npmPid);
  let started = tree();
  onTestFinished(() => {
    killFound(stillRunning(started).map(({ pid }) => pid));
  });
  await until(
    'npm start is up',
    async () => {
      started = tree();
      if (child.exitCode !== null) throw new Error(`npm ended: ${JSON.stringify(output)}`);
      return output.stdout.includes('Ctrl-C stops everything');
    },
    200_000,
  );
  started = tree();
  return { npmPid, started, ended, output };
}

test('SIGTERM to npm alone stops the gateway and its servers, and npm exits with 0', async () => {
  const { npmPid, started, ended, output } = await npmStart(temporaryFolder());
  for (const part of ['src/main.ts all', 'src/main.ts api', 'src/main.ts worker', 'postgres', 'start-dev'])
    expect(started.map(({ command }) => command).join('\n')).toContain(part);
  process.kill(npmPid, 'SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
  await nothingIsLeft(started);
  expect(output.stdout).toContain('Stopping …');
});

// A terminal sends SIGINT to the whole process group, and npm forwards its own: the gateway gets the signal twice.
// systemd does the same with SIGTERM unless KillMode is set.
test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s to the process group stops everything gracefully, with exit code 0',
  async (signal) => {
    const { npmPid, started, ended, output } = await npmStart(await startedFolder());
    process.kill(-npmPid, signal);
    expect(await ended).toEqual({ code: 0, signal: null });
    await nothingIsLeft(started);
    expect(output.stdout).toContain('Stopping …');
    expect(withoutBusyLines(output.stderr).trim()).toBe('');
  },
);

test('a second Ctrl-C ends at once a gateway that waits for an attempt in flight', async () => {
  // The attempt must not end by itself before the second signal.
  const gateway = await startWholeGateway(await startedFolder(), longAttempts);
  const { consumer, account } = await accountForTest(gateway.admin, hang);
  await send(gateway.baseUrl, account, '{"id":"waits"}');
  await until('the attempt is in flight', () => consumer.deliveries.length > 0);
  gateway.signal('SIGINT');
  await gateway.printed(/Stopping …/);
  const servers = processTree(gateway.pid);
  while (gateway.isRunning()) {
    await sleep(250);
    gateway.signal('SIGINT');
  }
  expect((await gateway.exited).code).toBe(1);
  await nothingIsLeft(servers);
});
