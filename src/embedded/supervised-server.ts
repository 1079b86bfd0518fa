import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../shared/log.ts';
import { type Child, endChild, type StopSignals } from './child.ts';

/** What a look at a starting server found; `refused` is something that waiting will not heal. */
export type Probe = { state: 'ready' } | { state: 'starting' } | { state: 'refused'; why: string };

export type ServerSpec = {
  name: string;
  /** Starts the program; called again, for the same ports and data, whenever it has died. */
  launch(): Promise<Child>;
  probe(pid: number): Promise<Probe>;
  /** How long a start may take; null where only the end of the process tells that it failed. */
  readyLimitMs: number | null;
  stop: StopSignals;
  log: Log;
  /** Called every ten seconds of waiting for the first start. */
  onWaiting?(elapsedMs: number): void;
};

export type SupervisedServer = {
  /** Ends the server and returns when it is gone. Idempotent. */
  stop(): Promise<void>;
  /** The pid of the server's main process, null while it is being restarted. */
  pid(): number | null;
};

export type Start = { started: true; server: SupervisedServer } | { started: false; why: string };

const probeMs = 50;
const waitingNoticeMs = 10_000;
/** A server that ran this long had a good start: its next death is restarted at once again. */
const stableMs = 60_000;
const firstBackoffMs = 200;
const longestBackoffMs = 5_000;

/**
 * Starts a server and keeps it running: whenever it dies, it is started again, at once the first time and with growing
 * pauses (up to 5 s) when it keeps dying, without ever giving up. Where the first start fails nothing is left running.
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
      spec.log.warn({ server: spec.name, how, deaths, pauseMs }, 'embedded server died and is started again');
      await sleep(pauseMs, null, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      child = await relaunched(spec);
      const problem = await untilReady(spec, child, stopping.signal);
      if (stopping.signal.aborted) return;
      readyAt = Date.now();
      if (problem === null) spec.log.warn({ server: spec.name, pid: child.pid }, 'embedded server is back');
      else {
        spec.log.warn({ server: spec.name, problem }, 'embedded server did not come back yet');
        await endChild(child, spec.stop);
      }
    }
  };
  const supervision = supervise();
  let stopped: Promise<void> | null = null;
  const stop = async () => {
    stopping.abort();
    await Promise.all([endChild(child, spec.stop), supervision]);
    // A start that was under way when the stop came may have brought a newer child.
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

/** A launch whose failure counts as one more death, so that the supervision goes on. */
async function relaunched(spec: ServerSpec): Promise<Child> {
  try {
    return await spec.launch();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { pid: null, ended: Promise.resolve(why), isRunning: () => false, signal: () => undefined };
  }
}

/** Waits until the server answers. Returns null, or why it never will. */
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
      return `it does not answer after ${Math.round((now - startedAt) / 1000)} s`;
    if (now - noticedAt >= waitingNoticeMs) {
      noticedAt = now;
      onWaiting?.(now - startedAt);
    }
    await sleep(probeMs);
  }
  return 'it was stopped';
}
