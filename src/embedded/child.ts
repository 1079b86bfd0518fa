import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { settlesWithin } from '../shared/settles-within.ts';
import type { ServerLog } from './server-log.ts';

/** A running program that the gateway has started. */
export type Child = {
  readonly pid: number | null;
  /** Resolves when the program has ended, with a short text on how; never rejects. */
  readonly ended: Promise<string>;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
};

export type StopSignals = { signal: NodeJS.Signals; limitMs: number; insistWith: NodeJS.Signals };

/**
 * Starts a server program in its own process group, so that a terminal's Ctrl-C does not stop it before the gateway has
 * finished. If the gateway exits without stopping it, it gets the signal `onGatewayExit`.
 *
 * `execa`, which runs short commands (`runCommand`), does not fit servers. For a process in a group of its own, it signals
 * the whole group when the gateway exits, or nothing; PostgreSQL's shutdown signals are for its main process only. And it
 * stops a process in two steps, where a server needs three.
 */
export function startChild(
  program: string,
  args: string[],
  options: Pick<SpawnOptions, 'env' | 'uid' | 'gid' | 'cwd'> & { output: ServerLog; onGatewayExit: NodeJS.Signals },
): Child {
  const { output, onGatewayExit, ...spawnOptions } = options;
  const descriptor = output.open();
  try {
    const stdio = ['ignore', descriptor, descriptor] as const;
    return watchChild(spawn(program, args, { ...spawnOptions, detached: true, stdio: [...stdio] }), onGatewayExit);
  } finally {
    closeSync(descriptor);
  }
}

/** Follows a process that was just started. If the gateway exits without stopping it, it gets `onGatewayExit`. */
export function watchChild(child: ChildProcess, onGatewayExit: NodeJS.Signals): Child {
  let running = child.pid !== undefined;
  const atGatewayExit = () => {
    if (running) child.kill(onGatewayExit);
  };
  process.on('exit', atGatewayExit);
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      running = false;
      process.off('exit', atGatewayExit);
      resolve(how);
    };
    child.on('error', (error) => {
      // With a pid, not the start has failed but the sending of a signal.
      if (child.pid === undefined) end(error.message);
    });
    child.once('exit', (code, signal) => end(signal ? `ended by ${signal}` : `ended with code ${code}`));
  });
  return {
    pid: child.pid ?? null,
    ended,
    isRunning: () => running,
    signal: (signal) => {
      if (running) child.kill(signal);
    },
  };
}

/** Stops the child: sends `signal`, after the limit `insistWith`, and finally SIGKILL. Resolves when it has ended. */
export async function endChild(child: Child, stop: StopSignals): Promise<void> {
  child.signal(stop.signal);
  if (await settlesWithin(child.ended, stop.limitMs)) return;
  child.signal(stop.insistWith);
  if (await settlesWithin(child.ended, 5_000)) return;
  child.signal('SIGKILL');
  await child.ended;
}
