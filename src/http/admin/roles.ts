/** What an admin token may do, from the least to the most. Each role includes those before it. */
export const tokenRoles = ['read', 'operate', 'admin'] as const;
export type TokenRole = (typeof tokenRoles)[number];

/** Whether a token with the role `held` may call an operation that needs the role `needed`. */
export const isAllowed = (held: TokenRole, needed: TokenRole) => tokenRoles.indexOf(held) >= tokenRoles.indexOf(needed);

/** The role with this name; null if there is none. */
export const roleOf = (name: string): TokenRole | null => tokenRoles.find((role) => role === name) ?? null;
