/** What a token with a scope may see: the accounts of an `app_key`, or one account. */
export type TokenScope = { app_key: string } | { account_id: string };

/**
 * How an operation keeps a token within its scope.
 *
 * - `path`: an id in its path belongs to an account; `AdminCalls` checks it before the operation begins
 * - `list`: the operation reads and changes only what belongs to `AdminCall.accountIds`
 * - `free`: its answer has nothing of any account
 *
 * An operation that declares none of them is refused for tokens with a scope.
 */
export type ScopeLimit = 'path' | 'list' | 'free';

/** The scope in words, for errors. */
export const scopeText = (scope: TokenScope): string =>
  'app_key' in scope ? `the accounts with the app_key '${scope.app_key}'` : `the account ${scope.account_id}`;
