import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TokenRole } from './roles.ts';
import type { TokenScope } from './scope.ts';

export interface AdminToken {
  name: string;
  token: string;
  role: TokenRole;
}

/** The name and the role of a valid token. */
export interface TokenHolder extends Pick<AdminToken, 'name' | 'role'> {
  /** Of a stored token; those of the configuration have none. */
  id?: string;
  /** Of a stored token that is limited. */
  scope?: TokenScope;
}

/**
 * Finds the holder of an admin token in constant time: the time does not depend on how many of its characters are
 * right.
 *
 * @returns a function from the token to its name and role, or null.
 */
export function tokenChecker(tokens: readonly AdminToken[]): (given: string | null) => TokenHolder | null {
  // timingSafeEqual needs inputs of one length. The key is random, so comparing digests reveals nothing about the
  // tokens.
  const key = randomBytes(32);
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  const known = tokens.map(({ name, role, token }) => ({ holder: { name, role }, digest: digest(token) }));
  return (given) => {
    if (given === null) return null;
    const wanted = digest(given);
    let found: TokenHolder | null = null;
    for (const entry of known) if (timingSafeEqual(entry.digest, wanted) && found === null) found = entry.holder;
    return found;
  };
}
