import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret of this process, so that an attacker cannot choose values by the beginning of their digests. */
const processKey = randomBytes(32).toString('latin1');

/**
 * Hashes the UTF-16 code units. UTF-8 encodes all lone surrogates as the same bytes, so different strings would match.
 */
function digest(value: string): Buffer {
  return hash('sha256', Buffer.from(processKey + value, 'utf16le'), 'buffer');
}

/**
 * Returns a constant-time comparison with `secret` for several values. `secret` is hashed only once.
 *
 * It compares digests of equal length. The time depends only on the length of `value`, which its sender knows. It does
 * not depend on the position of the first difference or on the length of the secret (R33). Never throws.
 */
export function constantTimeMatcher(secret: string): (value: string) => boolean {
  const expected = digest(secret);
  return (value) => timingSafeEqual(digest(value), expected);
}

/** Whether `left === right`, in constant time. */
export function constantTimeEqual(left: string, right: string): boolean {
  return constantTimeMatcher(right)(left);
}
