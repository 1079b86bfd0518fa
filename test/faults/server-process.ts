import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, processTree } from '../support/descendants.ts';

/** How a program is started. */
export interface Launch {
  command: readonly string[];
  env: Record<string, string>;
  cwd: string;
  uid?: number;
  gid?: number;
  /** How much lower its CPU priority is than that of this process. */
  nice?: number;
}

/** All processes that run, so that none is left when the suite ends, however it ends. */
const running = new Set<ServerProcess>();
process.on('exit', () => {
  for (const server of running) server.killTree();
});

/** A program of a seed that can be killed, stopped, continued and started again. Its output is appended to a file. */
export class ServerProcess {
  readonly name: string;
  readonly #launch: () => Launch;
  readonly #logPath: string;
  #child: ChildProcess | null = null;
  #ended: Promise<string> = Promise.resolve('not started');

  constructor(options: { name: string; logPath: string; launch(): Launch }) {
    this.name = options.name;
    this.#logPath = options.logPath;
    this.#launch = options.launch;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Resolves with a text on how the present process ended. */
  get ended(): Promise<string> {
    return this.#ended;
  }

  start(): void {
    if (this.#child) return;
    const { command, nice = 0, ...options } = this.#launch();
    const [program = '', ...args] = command;
    const log = openSync(this.#logPath, 'a');
    const child = spawn(program, args, { ...options, stdio: ['ignore', log, log] });
    closeSync(log);
    // It has one thread yet; later ones inherit the priority.
    if (nice > 0 && child.pid !== undefined) setPriority(child.pid, getPriority() + nice);
    this.#child = child;
    running.add(this);
    this.#ended = new Promise((resolve) => {
      const end = (how: string) => {
        if (this.#child === child) this.#child = null;
        running.delete(this);
        resolve(how);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal ? `ended by ${signal}` : `ended with code ${code}`));
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Kills the process by SIGKILL. Its children end by themselves, as PostgreSQL's do. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
  }

  /** Asks the process to stop, and kills it after the limit. Returns how it ended. */
  async stop(signal: NodeJS.Signals, limitMs: number): Promise<string> {
    if (!this.#child) return 'it did not run';
    this.signal(signal);
    const late = new AbortController();
    const ended = await Promise.race([
      this.#ended,
      sleep(limitMs, null, { signal: late.signal }).catch(() => null),
    ]).finally(() => late.abort());
    if (ended !== null) return ended;
    this.killTree();
    await this.#ended;
    return `was killed because it did not stop within ${limitMs / 1000} s`;
  }

  /** Stops the process and its children (SIGSTOP). The parent first, so that it starts no further child. */
  freeze(): void {
    const { pid } = this;
    if (pid === null) return;
    this.signal('SIGSTOP');
    for (const child of childrenOf(pid)) send(child.pid, 'SIGSTOP');
  }

  /** Continues the process and its children (SIGCONT). */
  thaw(): void {
    const { pid } = this;
    if (pid === null) return;
    for (const child of childrenOf(pid)) send(child.pid, 'SIGCONT');
    this.signal('SIGCONT');
  }

  killTree(): void {
    const { pid } = this;
    if (pid === null) return;
    for (const { pid: each } of processTree(pid)) send(each, 'SIGKILL');
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended since.
  }
}
