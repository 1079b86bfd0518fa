/** A stored value cannot be decrypted with SECRETS_KEY. The message, for operators, names the row and the remedy. */
export class SealedValueUnreadable extends Error {
  override name = 'SealedValueUnreadable';
}
