import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { StartError } from '../../src/shared/start-error.ts';
import { processesOn } from '../support/gateway-process.ts';
import { killFound } from '../support/kill.ts';
import { withClient } from '../support/one-connection.ts';

export const log = createLog('silent');
export const onProgress = () => undefined;

/** Creates a folder that the database's user may enter. After the test it is deleted, and servers on it are killed. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-embedded-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => {
    killFound(leftovers(folder));
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return folder;
}

export function releasedAfterTest<T extends { release(): void }>(dataDir: T): T {
  onTestFinished(() => dataDir.release());
  return dataDir;
}

/** The message of the StartError with which a start fails. Any other outcome fails the test. */
export async function startErrorOf(start: () => unknown): Promise<string> {
  try {
    await start();
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  throw new Error('it started');
}

/** Runs one statement on a new connection and returns the first column of the first row. */
export const query = (url: string, sql: string): Promise<unknown> =>
  withClient(url, async (client) => (await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0]);

/** The pids of servers that still run on this folder. That of Temporal has it as its working folder only. */
export const leftovers = (folder: string): number[] =>
  processesOn([folder])
    .filter(
      ({ command }) => command.includes('start-dev') || (command.includes(folder) && /postgres|initdb/.test(command)),
    )
    .map(({ pid }) => pid);

export type OtherGateway = { pid: number; postgresPid: number; temporalPid: number; url: string; address: string };

/** Starts another process that locks the folder and runs the named servers until it is killed. */
export async function otherGateway(folder: string, ...servers: ('postgres' | 'temporal')[]): Promise<OtherGateway> {
  const script = fileURLToPath(new URL('./other-gateway.ts', import.meta.url));
  const child = spawn(process.execPath, [script, folder, ...servers], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return { pid: child.pid, ...JSON.parse(line) };
  }
  throw new Error('the other gateway did not start');
}

/** Takes a port of 127.0.0.1 (0: any) until the end of the test. Returns it, or null if it is already taken. */
export function takePort(port: number): Promise<number | null> {
  const server = createServer();
  onTestFinished(() => {
    server.close();
  });
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : null);
    });
  });
}
