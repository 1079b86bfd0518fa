import type { SecretBox, SecretPlace } from '../../secrets/secret-box.ts';
import { checkSettings, type DestinationSettings, type DestinationType } from './destination-config.ts';

/** A destination's config as stored: encrypted JSON, bound to the account and the destination. */
export interface SealedSettings {
  id: string;
  account_id: string;
  destination_type: DestinationType;
  config: Uint8Array;
}

/** The place that a destination's config is bound to. Copies of the config in notifications have the same place. */
export const settingsPlace = ({ account_id, id }: Pick<SealedSettings, 'id' | 'account_id'>): SecretPlace => ({
  accountId: account_id,
  field: `destination.${id}`,
});

/** Encrypts a config for its place in the database. */
export function sealSettings(
  box: SecretBox,
  place: Pick<SealedSettings, 'id' | 'account_id'>,
  { config }: DestinationSettings,
): Buffer {
  return Buffer.from(box.seal(JSON.stringify(config), settingsPlace(place)));
}

/** Decrypts a config; null when it cannot be decrypted with this key or is invalid for its type. */
export function openSettings(box: SecretBox, sealed: SealedSettings): DestinationSettings | null {
  const text = box.open(sealed.config, settingsPlace(sealed));
  if (text === null) return null;
  const checked = checkSettings(sealed.destination_type, JSON.parse(text));
  return checked.ok ? checked.settings : null;
}
