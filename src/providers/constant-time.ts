import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Unknown outside this process, so nobody can choose values by what their digests begin with. */
const processKey = randomBytes(32).toString('latin1');

/** UTF-16, because UTF-8 would make one byte sequence of all lone surrogates and so call different strings equal. */
function digest(value: string): Buffer {
  return hash('sha256', Buffer.from(processKey + value, 'utf16le'), 'buffer');
}

/**
 * Returns a comparison with `secret`, for when several values are tried: `secret` is digested once.
 *
 * Digests of one length are compared, so neither the position of the first difference nor the length of the secret
 * shows in the time taken (R33); only the length of `value`, which its sender knows. Never throws.
 */
export function constantTimeMatcher(secret: string): (value: string) => boolean {
  const expected = digest(secret);
  return (value) => timingSafeEqual(digest(value), expected);
}

/** `left === right`, in a time that does not tell where or whether they differ. */
export function constantTimeEqual(left: string, right: string): boolean {
  return constantTimeMatcher(right)(left);
}
