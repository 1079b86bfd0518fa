import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';

/**
 * Logs, at most once a minute, how many webhooks were refused for their size. Nothing of them is stored, and not every
 * provider sends them again, so operators have to know.
 */
export function largeWebhookWarnings(log: Pick<Log, 'warn'>, maxPayloadBytes: number, now?: () => number) {
  const warning = new RareWarning(now);
  return (provider: string, accountSlug: string): void => {
    warning.add();
    warning.tell((refused) =>
      log.warn({ provider, accountSlug, refused, maxPayloadBytes }, 'webhooks larger than MAX_PAYLOAD_BYTES refused'),
    );
  };
}
