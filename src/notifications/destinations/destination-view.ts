import { maskedUrl } from '../../accounts/url-credentials.ts';
import type { TokenRole } from '../../http/admin/roles.ts';
import { MASKED } from '../../secrets/masked.ts';
import type { Destination } from './destination-store.ts';

/**
 * The config for responses. A secret is write-only: only `has_secret` is shown. User and password of URLs are masked.
 */
function shownConfig(destination: Destination, showChatUrls: boolean) {
  switch (destination.destination_type) {
    case 'webhook':
      return { url: maskedUrl(destination.config.url), has_secret: destination.config.secret !== undefined };
    case 'email': {
      const { addresses, include_payload = false } = destination.config;
      return { addresses, include_payload };
    }
    case 'chat_one':
    case 'chat_two':
      return {
        webhook_url: showChatUrls
          ? maskedUrl(destination.config.webhook_url)
          : hostOnly(destination.config.webhook_url),
      };
    default:
      return destination satisfies never;
  }
}

const hostOnly = (url: string) => `${new URL(url).origin}/${MASKED}`;

/**
 * A destination in the form of the admin API (R23); times are ISO 8601.
 *
 * @param role of the caller. The URL of a chat lets anyone who knows it post there, so that only `admin`, who may change
 *   it, is shown its path.
 */
export function destinationView(destination: Destination, role: TokenRole) {
  const { id, destination_type, name, enabled, condition, kinds, position, created_at, updated_at } = destination;
  return {
    ...{ id, destination_type, name, enabled, config: shownConfig(destination, role === 'admin') },
    ...{ condition, kinds, position },
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
