/** Variables that earlier releases had, and what replaces each. A start with one of them is refused. */
const replacements: Record<string, string> = {
  FIRST_ATTEMPT: 'no longer exists: every api makes first attempts, unless API_DELIVERS=false leaves them to workflows',
  FIRST_ATTEMPT_PERMITS:
    'no longer exists: an api makes as many first attempts at a time as ACCOUNT_CONCURRENCY allows',
};

/** A sentence for each variable that is set and no longer exists. */
export const removedVariables = (set: Record<string, string | undefined>): string[] =>
  Object.entries(replacements).flatMap(([name, instead]) => (set[name] === undefined ? [] : [`${name}: ${instead}`]));
