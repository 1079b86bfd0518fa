import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { getPriority } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lowerPriority } from '../../src/embedded/priority.ts';
import { prioritiesOf } from '../support/proc-stat.ts';
import { log } from './helpers.ts';

/** Starts Node, which has several threads, as `npm start` starts its programs, and waits until it runs. */
async function startNode(): Promise<number> {
  const child = spawn(process.execPath, ['--eval', `console.log('runs'); setInterval(() => undefined, 60_000)`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

test('all threads of a process get the lower priority', async () => {
  const pid = await startNode();
  expect(fs.readdirSync(`/proc/${pid}/task`).length).toBeGreaterThan(1);
  lowerPriority(pid, log);
  expect(prioritiesOf(pid)).toEqual([getPriority() + 5]);
});

test('when a thread ends before its priority is set, the others get theirs', async () => {
  const pid = await startNode();
  const { pid: ended } = spawnSync('true');
  const { readdirSync } = fs;
  vi.spyOn(fs, 'readdirSync').mockImplementation(((path: string) => [
    String(ended),
    ...readdirSync(path),
  ]) as typeof readdirSync);
  syncBuiltinESMExports();
  lowerPriority(pid, log);
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  expect(prioritiesOf(pid)).toEqual([getPriority() + 5]);
});

test.each([3, 17])('a gateway with a priority that is %i lower lowers its programs below that', async (steps) => {
  const pid = await startNode();
  const url = new URL('../../src/embedded/priority.ts', import.meta.url);
  const code = `import { lowerPriority } from '${url}'; lowerPriority(${pid}, console);`;
  const node = [process.execPath, '--input-type=module', '--eval', code];
  expect(spawnSync('nice', ['-n', String(steps), ...node]).status).toBe(0);
  // 19 is the lowest one.
  expect(prioritiesOf(pid)).toEqual([Math.min(getPriority() + steps + 5, 19)]);
});
