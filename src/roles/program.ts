import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type StartedBy, startedByVariable } from '../config/npm-start.ts';
import type { Role } from '../config.ts';
import { type Child, type StopSignals, watchChild } from '../embedded/child.ts';
import { lowerPriority } from '../embedded/priority.ts';
import { type SupervisedServer, startSupervised } from '../embedded/supervised-server.ts';
import type { Log } from '../shared/log.ts';
import { StartError, ToldError } from '../shared/start-error.ts';
import type { Ready } from './role-context.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/**
 * A program ends its work in flight, or gives it up, within 40 s. This limit is less than the 45 s after which `npm start`
 * ends itself, so that the servers are still stopped in order.
 */
const stop: StopSignals = { signal: 'SIGTERM', limitMs: 42_000, insistWith: 'SIGKILL' };

/** What a program of `npm start` is started with. */
export interface ProgramOptions {
  role: Role;
  /** Its variables, without what `startedBy` says. */
  variables: () => Record<string, string | undefined>;
  startedBy: StartedBy;
  /** Options of Node. */
  node?: readonly string[];
  /** Its CPU priority once it is ready; each step above 0 is about 10 % less processor time beside others. */
  nice?: number;
  log: Log;
}

/** A program of `npm start` that is started again whenever it ends. */
export interface Program extends SupervisedServer {
  /** What it said when it was ready for the first time. */
  ready: Ready;
}

/**
 * Starts a role as a program, waits until it is ready, and starts it again with a backoff whenever it ends. Its output is
 * that of this process.
 *
 * Two pipes connect the programs: when its standard input ends, `npm start` is dead, and the program ends itself; on the
 * descriptor 3 it writes a line when it is ready. Variables are seen by this user only, so they may hold secrets.
 *
 * @throws ToldError when the first start fails and the program has said why; StartError when it has not.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { role, nice, log } = options;
  let ready: Ready | null = null;
  let first: Ready | null = null;
  const launch = async (): Promise<Child> => {
    ready = null;
    const { child, told } = launchProgram(options);
    told.on('line', (line) => {
      ready = JSON.parse(line) as Ready;
      first ??= ready;
      if (nice !== undefined && child.pid !== null) lowerPriority(child.pid, nice, { ownSession: true, log });
    });
    return child;
  };
  const start = await startSupervised({
    name: role,
    launch,
    probe: async () => (ready === null ? { state: 'starting' } : { state: 'ready' }),
    // No limit, because sealing the stored URLs of many accounts may take long. If the start fails, the program ends.
    readyLimitMs: null,
    stop,
    log,
  });
  if (start.started) return { ...start.server, ready: first ?? {} };
  throw failure(role, start.why);
}

/**
 * Runs a role as a program to its end.
 *
 * @throws ToldError when it fails and has said why; StartError when it has not.
 */
export async function runProgram(options: ProgramOptions): Promise<void> {
  const how = await launchProgram(options).child.ended;
  if (how !== endedWith(0)) throw failure(options.role, how);
}

const endedWith = (code: number) => `ended with code ${code}`;

/** A role that fails has printed why, and ends with code 1. */
const failure = (role: Role, how: string) =>
  how === endedWith(1) ? new ToldError() : new StartError(`The ${role} of the gateway did not start (${how}).`);

function launchProgram({ role, variables, startedBy, node = [] }: ProgramOptions) {
  // The data folder names the gateway in lists of processes.
  const spawned = spawn(process.execPath, [...node, main, role, startedBy.dataDir], {
    env: { ...variables(), [startedByVariable]: JSON.stringify(startedBy) },
    // In a group of its own, so that a terminal's Ctrl-C does not stop it before `npm start` says so.
    detached: true,
    stdio: ['pipe', role === 'migrate' ? 'ignore' : 'inherit', 'inherit', 'pipe'],
  });
  const told = createInterface({ input: spawned.stdio[3] as Readable });
  spawned.stdin?.on('error', () => undefined);
  return { child: watchChild(spawned, 'SIGKILL'), told };
}
