import { maskedUrl } from '../accounts/url-credentials.ts';
import type { Destination } from './destination-store.ts';

/** The config as operators see it: a secret is write-only, so what is shown is whether there is one; user and password of a URL are masked. */
function shownConfig(destination: Destination) {
  switch (destination.destination_type) {
    case 'webhook':
      return { url: maskedUrl(destination.config.url), has_secret: destination.config.secret !== undefined };
    case 'email': {
      const { addresses, include_payload = false } = destination.config;
      return { addresses, include_payload };
    }
    case 'chat_one':
    case 'chat_two':
      return { webhook_url: maskedUrl(destination.config.webhook_url) };
    default:
      return destination satisfies never;
  }
}

/** A destination as the admin API shows it (R23); times are ISO 8601. */
export function destinationView(destination: Destination) {
  const { id, destination_type, name, enabled, condition, position, created_at, updated_at } = destination;
  return {
    ...{ id, destination_type, name, enabled, config: shownConfig(destination), condition, position },
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
