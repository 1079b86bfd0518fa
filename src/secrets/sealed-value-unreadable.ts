/** A stored value does not decrypt with SECRETS_KEY. The message names the row and what to do, and may be shown to operators. */
export class SealedValueUnreadable extends Error {
  override name = 'SealedValueUnreadable';
}
