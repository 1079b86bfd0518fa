import type { Log } from '../../log.ts';

const quietMs = 60_000;

/** Tells operators that connections were closed because there are as many as `MAX_CONNECTIONS`, at most once a minute. */
export function connectionLimitWarnings(log: Pick<Log, 'warn'>, now = () => performance.now()): () => void {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  let closed = 0;
  return () => {
    closed++;
    if (now() < quietUntilMs) return;
    quietUntilMs = now() + quietMs;
    log.warn({ closed }, 'connections closed, there are as many as MAX_CONNECTIONS');
    closed = 0;
  };
}
