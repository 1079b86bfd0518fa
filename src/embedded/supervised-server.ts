import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../shared/log.ts';
import { type Child, endChild, type StopSignals } from './child.ts';

/** The state of a starting server; `refused`: it will not become ready. */
export type Probe = { state: 'ready' } | { state: 'starting' } | { state: 'refused'; why: string };

export type ServerSpec = {
  /** Names the process in the log. */
  name: string;
  /** Starts the program. Called again with the same ports and data after each crash. */
  launch(): Promise<Child>;
  probe(pid: number): Promise<Probe>;
  /** The limit for a start; null: a failed start is detected only by the end of the process. */
  readyLimitMs: number | null;
  stop: StopSignals;
  log: Log;
  /** Called every ten seconds while waiting for the first start. */
  onWaiting?(elapsedMs: number): void;
};

export type SupervisedServer = {
  /** Stops the server and resolves when it has ended. Idempotent. */
  stop(): Promise<void>;
  /** The pid of the server's main process, null while it is being restarted. */
  pid(): number | null;
};

export type Start = { started: true; server: SupervisedServer } | { started: false; why: string };

const probeMs = 50;
const waitingNoticeMs = 10_000;
/** A server that ran for this long is stable: after its next crash, it is restarted without a delay. */
const stableMs = 60_000;
const firstBackoffMs = 200;
const longestBackoffMs = 5_000;

/**
 * Starts a server and restarts it after every crash: the first time immediately, then with a backoff of up to 5 s,
 * without a limit on the number of restarts. If the first start fails, no process is left running.
 */
export async function startSupervised(spec: ServerSpec): Promise<Start> {
  const stopping = new AbortController();
  let child = await spec.launch();
  const first = await untilReady(spec, child, stopping.signal, spec.onWaiting);
  if (first !== null) {
    await endChild(child, spec.stop);
    return { started: false, why: first };
  }

  const supervise = async () => {
    let deaths = 0;
    let readyAt = Date.now();
    while (true) {
      const how = await child.ended;
      if (stopping.signal.aborted) return;
      deaths = Date.now() - readyAt > stableMs ? 1 : deaths + 1;
      const pauseMs = deaths === 1 ? 0 : Math.min(firstBackoffMs * 2 ** (deaths - 2), longestBackoffMs);
      spec.log.warn({ process: spec.name, how, deaths, pauseMs }, 'child process crashed, restarting');
      await sleep(pauseMs, null, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      child = await relaunched(spec);
      const problem = await untilReady(spec, child, stopping.signal);
      if (stopping.signal.aborted) return;
      readyAt = Date.now();
      if (problem === null) spec.log.warn({ process: spec.name, pid: child.pid }, 'child process restarted');
      else {
        spec.log.warn({ process: spec.name, problem }, 'child process restart failed, retrying');
        await endChild(child, spec.stop);
      }
    }
  };
  const supervision = supervise();
  let stopped: Promise<void> | null = null;
  const stop = async () => {
    stopping.abort();
    await Promise.all([endChild(child, spec.stop), supervision]);
    // A restart in progress may have replaced the child after the stop began.
    await endChild(child, spec.stop);
  };
  return {
    started: true,
    server: {
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
      pid: () => (child.isRunning() ? child.pid : null),
    },
  };
}

/** Launches the server again. A failed launch counts as a crash, so that the supervision continues. */
async function relaunched(spec: ServerSpec): Promise<Child> {
  try {
    return await spec.launch();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { pid: null, ended: Promise.resolve(why), isRunning: () => false, signal: () => undefined };
  }
}

/** Waits until the server is ready. Returns null, or why it will not become ready. */
async function untilReady(
  spec: ServerSpec,
  child: Child,
  signal: AbortSignal,
  onWaiting?: (elapsedMs: number) => void,
): Promise<string | null> {
  const startedAt = Date.now();
  let noticedAt = startedAt;
  while (!signal.aborted) {
    if (!child.isRunning() || child.pid === null) return await child.ended;
    const found = await spec.probe(child.pid).catch((): Probe => ({ state: 'starting' }));
    if (found.state === 'ready' && child.isRunning()) return null;
    if (found.state === 'refused') return found.why;
    const now = Date.now();
    if (spec.readyLimitMs !== null && now - startedAt > spec.readyLimitMs)
      return `it is not ready after ${Math.round((now - startedAt) / 1000)} s`;
    if (now - noticedAt >= waitingNoticeMs) {
      noticedAt = now;
      onWaiting?.(now - startedAt);
    }
    await sleep(probeMs);
  }
  return 'it was stopped';
}
