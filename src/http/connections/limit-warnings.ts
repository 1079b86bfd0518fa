import type { Log } from '../../shared/log.ts';
import { RareWarning } from '../../shared/rare-warning.ts';

/** Logs, at most once a minute, how many connections were closed because `MAX_CONNECTIONS` was reached. */
export function connectionLimitWarnings(log: Pick<Log, 'warn'>, now?: () => number): () => void {
  const warning = new RareWarning(now);
  return () => {
    warning.add();
    warning.tell((closed) => log.warn({ closed }, 'connections closed, MAX_CONNECTIONS reached'));
  };
}
