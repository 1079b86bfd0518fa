import { createHmac } from 'node:crypto';
import type { Keyring } from '../../secrets/keyring.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { DestinationSettings } from '../destinations/destination-config.ts';
import { openSettings, type SealedSettings } from '../destinations/sealed-settings.ts';

/** The place to which a destination's messages go, the same for all destinations with the same address. */
export type PlaceOf = (destination: SealedSettings) => string;

/**
 * Places are keyed hashes, because the configs of destinations are encrypted in the database. A config that cannot be
 * decrypted is a place of its own. After a change of SECRETS_KEY, places differ from those before.
 */
export function createPlaces({ keyring, box }: { keyring: Keyring; box: SecretBox }): PlaceOf {
  const key = keyring.current.derive('place of messages');
  return (sealed) => {
    const settings = openSettings(box, sealed);
    const text = settings ? addressOf(settings) : `destination ${sealed.id}`;
    return createHmac('sha256', key).update(text).digest('base64url');
  };
}

/** Letters of e-mail addresses are compared without their case, as where they are sent. */
function addressOf({ destination_type: type, config }: DestinationSettings): string {
  if ('addresses' in config) return [type, ...config.addresses.map((one) => one.toLowerCase()).sort()].join(' ');
  return `${type} ${'url' in config ? config.url : config.webhook_url}`;
}
