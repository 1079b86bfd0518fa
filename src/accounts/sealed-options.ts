import type { Authentication } from './authentication.ts';

/** The settings of a consumer's deliveries that are secret: stored encrypted, all in one value. */
export interface SealedOptions {
  /** How its deliveries authenticate. Absent: not. */
  authentication?: Authentication;
  /** The authorities that are trusted, in PEM. Not secret, but read only with the rest. Absent: those of the machine. */
  ca?: string;
}

/** The settings in a decrypted value. */
export const openedOptions = (opened: string): SealedOptions => JSON.parse(opened);

/** The value to encrypt; null when there are no settings. */
export const optionsToSeal = (options: SealedOptions): string | null =>
  Object.keys(options).length === 0 ? null : JSON.stringify(options);
