import { ApiProblem } from '../../../api/problem.ts';

/** What is wrong with each field, by its path: `account_slug`, `provider_config.header`. Of one field, the first mistake. */
export function fieldErrors(error: unknown): ReadonlyMap<string, string> {
  const errors = new Map<string, string>();
  if (error instanceof ApiProblem)
    for (const { path, message } of error.errors) if (!errors.has(path)) errors.set(path, message);
  return errors;
}
