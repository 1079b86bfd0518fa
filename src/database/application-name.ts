import { version } from '../shared/version.ts';

const program = 'webhook-gateway';

/**
 * The `application_name` of a connection that every process has, so that `pg_stat_activity` shows which releases run.
 */
export const applicationName = (part: '' | ' relay' = '') => `${program}${part}/${version}`;

/** The release in such a name; null for a name of another program. */
export function releaseOf(name: string): string | null {
  return /^webhook-gateway(?: relay)?\/(\S+)$/.exec(name)?.[1] ?? null;
}
