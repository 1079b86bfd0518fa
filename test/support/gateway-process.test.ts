import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { killAbandoned } from './gateway-process.ts';

/** A process whose working folder is one of a test run with this pid. */
function processOf(pid: number): ChildProcess {
  const cwd = mkdtempSync(join(tmpdir(), `gateway-process-${pid}-`));
  const child = spawn('sleep', ['600'], { cwd, stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(cwd, { recursive: true });
  });
  return child;
}

test('processes of a killed run are killed, and those of a run that lasts are not', async () => {
  const [abandoned, own] = [processOf(spawnSync('true').pid), processOf(process.pid)];
  const ended = once(abandoned, 'exit');
  expect(killAbandoned().map(({ pid }) => pid)).toContain(abandoned.pid);
  await ended;
  expect(own.exitCode ?? own.signalCode).toBeNull();
});
