import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import { checkSettings, type DestinationSettings, type DestinationType } from './destination-config.ts';

/** A destination's config as it is stored: JSON in a box that names its account and itself. */
export interface SealedSettings {
  id: string;
  account_id: string;
  destination_type: DestinationType;
  config: Uint8Array;
}

/** Where the config of a destination lives, and every copy of it. */
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

/** The config in the clear; null when it does not decrypt with this key, or is none of its type. */
export function openSettings(box: SecretBox, sealed: SealedSettings): DestinationSettings | null {
  const text = box.open(sealed.config, settingsPlace(sealed));
  if (text === null) return null;
  const checked = checkSettings(sealed.destination_type, JSON.parse(text));
  return checked.ok ? checked.settings : null;
}
