import { constantTimeMatcher } from '../../secrets/constant-time.ts';
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
  const known = tokens.map(({ name, role, token }) => ({
    holder: { name, role },
    matches: constantTimeMatcher(token),
  }));
  return (given) => {
    if (given === null) return null;
    let found: TokenHolder | null = null;
    for (const { holder, matches } of known) if (matches(given) && found === null) found = holder;
    return found;
  };
}
