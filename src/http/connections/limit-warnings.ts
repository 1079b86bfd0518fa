import type { Log } from '../../shared/log.ts';
import { RareWarning } from '../../shared/rare-warning.ts';

/** Tells operators that connections were closed because there are as many as `MAX_CONNECTIONS`, at most once a minute. */
export function connectionLimitWarnings(log: Pick<Log, 'warn'>, now?: () => number): () => void {
  const warning = new RareWarning(now);
  return () => {
    warning.add();
    warning.tell((closed) => log.warn({ closed }, 'connections closed, there are as many as MAX_CONNECTIONS'));
  };
}
