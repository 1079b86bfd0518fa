/** The roles of a process (`npm run api`, …); `all` is `npm start`. */
export const roles = ['all', 'api', 'worker', 'promote', 'migrate', 'restore', 'backup-sql', 'reseal'] as const;
export type Role = (typeof roles)[number];

/** What is said about a variable of the environment: in docs/configuration.md and by `GET /admin/settings`. */
export interface Variable {
  /** The roles that use it. `npm start` also uses what `api` and `worker` use. */
  roles: readonly Role[];
  /** Never shown, not even in part. */
  secret?: boolean;
  /** The default in the table, where it is computed from other variables. */
  shownDefault?: string;
  /** One line of Markdown, with links relative to docs/. */
  meaning: string;
}

/**
 * Variables that the same roles use.
 *
 * @param variables each with its meaning, or with all that is said about it besides the roles
 */
export function usedBy<Name extends string>(
  roles: readonly Role[],
  variables: Record<Name, string | Omit<Variable, 'roles'>>,
): Record<Name, Variable> {
  const entries = Object.entries<string | Omit<Variable, 'roles'>>(variables).map(([name, said]) => [
    name,
    { roles, ...(typeof said === 'string' ? { meaning: said } : said) },
  ]);
  return Object.fromEntries(entries);
}

/** What is said about a variable whose value is never shown. */
export const secret = (meaning: string) => ({ secret: true, meaning });

export const everyRole: readonly Role[] = [...roles];
export const servers: readonly Role[] = ['api', 'worker'];
/** The roles that call Temporal. */
export const temporalCallers: readonly Role[] = ['api', 'worker', 'promote'];
/** The roles that use the database. */
export const databaseUsers: readonly Role[] = roles.filter((role) => role !== 'promote');
/** The roles that read or write encrypted values. */
export const keyHolders: readonly Role[] = ['api', 'worker', 'restore', 'backup-sql', 'reseal'];
