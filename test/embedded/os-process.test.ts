import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { endForeign } from '../../src/embedded/os-process.ts';
import { isPortFree } from '../../src/embedded/ports.ts';

/** Listens when its threads are busy, and prints the port. */
const busyServer = `
  const { once } = require('node:events');
  const { Worker } = require('node:worker_threads');
  const threads = Array.from({ length: 12 }, () => new Worker('for (;;);', { eval: true }));
  const server = require('node:net').createServer();
  Promise.all(threads.map((thread) => once(thread, 'online'))).then(() =>
    server.listen(0, '127.0.0.1', () => console.log(server.address().port)),
  );`;

test('the port of a process that was ended is free, also when its threads end late', async () => {
  const child = spawn('nice', ['-n', '19', process.execPath, '--eval', busyServer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = await once(child.stdout, 'data');
  expect(await endForeign(child.pid ?? 0, { signal: 'SIGTERM', limitMs: 60_000, insistWith: 'SIGKILL' })).toBe(true);
  expect(await isPortFree(Number(port))).toBe(true);
});
