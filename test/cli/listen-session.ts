import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, onTestFinished } from 'vitest';
import { run } from '../../src/cli/run-command.ts';
import type { TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { gatewayEnv } from './support.ts';

/**
 * For the top of a test file: returns a function that makes the environment of sessions which share a new folder for their
 * progress. The folders are removed after the file.
 */
export function useStateEnv(): () => Record<string, string> {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'cli-listen-'));
    folders.push(folder);
    return { XDG_STATE_HOME: folder };
  };
}

/** Accounts and webhooks for `listen`, for the top of a test file. @param gateway the present one: a test restarts it */
export function webhooksOf(gateway: () => TestGateway) {
  let sentCount = 0;
  const stateEnv = useStateEnv();
  return {
    stateEnv,
    /** The environment of sessions with a progress of their own. */
    envOf: (one: { baseUrl: string; adminToken: string } = gateway()) => ({ ...gatewayEnv(one), ...stateEnv() }),
    async accountOf() {
      const { account_slug } = await gateway().admin.createAccount({});
      return `generic/${account_slug}`;
    },
    /** Sends webhooks one after another; returns their external ids. */
    async send(account: string, count: number, type = 'order.created'): Promise<string[]> {
      const ids = Array.from({ length: count }, () => `order-${++sentCount}`);
      for (const id of ids) {
        const answer = await fetch(`${gateway().baseUrl}/${account}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-custom': 'kept',
            'x-forwarded-for': '192.0.2.1',
            'x-user-id': '1',
          },
          body: `{ "id": "${id}",  "type": "${type}" }`,
        });
        expect(answer.status).toBe(202);
      }
      return ids;
    },
  };
}

/** The external ids of the events that a local server has got. */
export const idsAt = ({ deliveries }: { deliveries: { headers: Record<string, unknown> }[] }) =>
  deliveries.map(({ headers }) => headers['x-webhook-external-id']);

export interface Session {
  stdout(): string;
  stderr(): string;
  ready(): Promise<unknown>;
  /** Ends it as Ctrl-C does; the exit code. */
  stop(): Promise<number>;
  ended: Promise<number>;
}

/** Starts `listen`, or another command that reads the feed, in this process. It is stopped at the end of the test. */
export function startListen(args: readonly string[], env: Record<string, string>, command = ['listen']): Session {
  const chunks = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof chunks) => ({
    write(chunk: string | Uint8Array) {
      chunks[name] += Buffer.from(chunk).toString();
      return true;
    },
    once: () => undefined,
  });
  const interrupted = new AbortController();
  const ended = run(['node', 'webhook-gateway', ...command, ...args], {
    ...{ stdout: sink('stdout'), stderr: sink('stderr'), stdin: Readable.from([]), signal: interrupted.signal },
    env: { XDG_CONFIG_HOME: '/nonexistent', ...env },
  });
  const session = {
    stdout: () => chunks.stdout,
    stderr: () => chunks.stderr,
    ready: () => untilReady(session),
    stop: () => {
      interrupted.abort();
      return ended;
    },
    ended,
  };
  onTestFinished(() => void session.stop());
  return session;
}

export interface ListenProcess extends Session {
  kill(signal: NodeJS.Signals): void;
}

/** Starts `listen` as a process. It is killed at the end of the test. @param nodeOptions as of `node` */
export function spawnListen(
  args: readonly string[],
  env: Record<string, string>,
  nodeOptions: readonly string[] = [],
): ListenProcess {
  const chunks = { stdout: '', stderr: '' };
  const child = spawn(process.execPath, [...nodeOptions, 'src/cli/main.ts', 'listen', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_CONFIG_HOME: '/nonexistent', ...env },
  });
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      chunks[name] += chunk.toString();
    });
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  const session = {
    stdout: () => chunks.stdout,
    stderr: () => chunks.stderr,
    ready: () => untilReady(session),
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    ended,
  };
  onTestFinished(() => void child.kill('SIGKILL'));
  return session;
}

async function untilReady(session: Session): Promise<void> {
  let hasEnded = false;
  void session.ended.then(() => {
    hasEnded = true;
  });
  await until('listen is ready', () => {
    if (hasEnded) throw new Error(`listen has ended: ${session.stderr()}`);
    return session.stderr().includes('ready');
  });
}
