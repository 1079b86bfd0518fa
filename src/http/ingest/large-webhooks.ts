import type { Log } from '../../log.ts';

const quietMs = 60_000;

/**
 * Tells operators of webhooks that were refused for their size, at most once a minute: nothing of them is stored, and not every
 * provider sends again.
 */
export function largeWebhookWarnings(log: Pick<Log, 'warn'>, maxPayloadBytes: number, now = Date.now) {
  let quietUntilMs = 0;
  let refused = 0;
  return (provider: string, accountSlug: string): void => {
    refused++;
    if (now() < quietUntilMs) return;
    quietUntilMs = now() + quietMs;
    log.warn(
      { provider, accountSlug, refused, maxPayloadBytes },
      'webhooks larger than MAX_PAYLOAD_BYTES were refused',
    );
    refused = 0;
  };
}
