import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Role } from '../config/config.ts';
import { type StartedBy, startedByVariable } from '../config/npm-start.ts';
import { type Child, type StopSignals, watchChild } from '../embedded/child.ts';
import { lowerPriority } from '../embedded/priority.ts';
import { type SupervisedServer, startSupervised } from '../embedded/supervised-server.ts';
import type { Log } from '../shared/log.ts';
import { ProgramError, StartError } from '../shared/start-error.ts';
import type { Ready, Told } from './role-context.ts';

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
  /** Whether it has a lower CPU priority once it is ready. */
  lowered?: boolean;
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
 * descriptor 3 it writes a line when it is ready, or why it ends. Variables are seen by this user only, so they may hold
 * secrets.
 *
 * @throws ProgramError when the first start fails and the program has said why; StartError when it has not.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { role, lowered = false, log } = options;
  let ready: Ready | null = null;
  let first: Ready | null = null;
  let why: Promise<string | null> = Promise.resolve(null);
  const launch = async (): Promise<Child> => {
    ready = null;
    const program = launchProgram(options, (told) => {
      ready = told;
      first ??= told;
      const { pid } = program.child;
      if (lowered && pid !== null) lowerPriority(pid, log);
    });
    why = program.why;
    void why.then((problem) => {
      if (problem !== null && first !== null) log.error({ process: role, problem }, 'program failed');
    });
    return program.child;
  };
  const start = await startSupervised({
    name: role,
    launch,
    probe: async () => (ready === null ? { state: 'starting' } : { state: 'ready' }),
    // No limit, because the api first applies migrations, which may take long. If the start fails, the program ends.
    readyLimitMs: null,
    stop,
    log,
  });
  if (start.started) return { ...start.server, ready: first ?? {} };
  const problem = await why;
  throw problem === null
    ? new StartError(`The ${role} of the gateway did not start (${start.why}).`)
    : new ProgramError(problem);
}

/** Launches the program. `why` resolves at its end: with the reason for it, or null when it said none. */
function launchProgram(
  { role, variables, startedBy, node = [] }: ProgramOptions,
  onReady: (ready: Ready) => void,
): { child: Child; why: Promise<string | null> } {
  // The data folder names the gateway in lists of processes.
  const spawned = spawn(process.execPath, [...node, main, role, startedBy.dataDir], {
    env: { ...variables(), [startedByVariable]: JSON.stringify(startedBy) },
    // In a group of its own, so that a terminal's Ctrl-C does not stop it before `npm start` says so.
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
  });
  spawned.stdin?.on('error', () => undefined);
  const lines = createInterface({ input: spawned.stdio[3] as Readable });
  let failed: string | null = null;
  lines.on('line', (line) => {
    const told = JSON.parse(line) as Told;
    if ('failed' in told) failed = told.failed;
    else onReady(told.ready);
  });
  const why = new Promise<string | null>((resolve) => lines.once('close', () => resolve(failed)));
  return { child: watchChild(spawned, 'SIGKILL'), why };
}
