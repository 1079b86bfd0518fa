import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';

/**
 * Tells operators of webhooks that were refused for their size, at most once a minute: nothing of them is stored, and not every
 * provider sends again.
 */
export function largeWebhookWarnings(log: Pick<Log, 'warn'>, maxPayloadBytes: number, now?: () => number) {
  const warning = new RareWarning(now);
  return (provider: string, accountSlug: string): void => {
    warning.add();
    warning.tell((refused) =>
      log.warn(
        { provider, accountSlug, refused, maxPayloadBytes },
        'webhooks larger than MAX_PAYLOAD_BYTES were refused',
      ),
    );
  };
}
