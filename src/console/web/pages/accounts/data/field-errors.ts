import { ApiProblem } from '../../../api/problem.ts';

/** What is wrong with each field, by its path: `account_slug`, `provider_config.header`. */
export function fieldErrors(error: unknown): ReadonlyMap<string, string> {
  return new Map(error instanceof ApiProblem ? error.errors.map(({ path, message }) => [path, message]) : []);
}
