import { version } from '../shared/version.ts';

const program = 'webhook-gateway';

/**
 * The `application_name` of a connection that every process has, so that `pg_stat_activity` shows which releases run.
 * Release 0.2.0 names no version.
 */
export const applicationName = (part: '' | ' relay' = '') => `${program}${part}/${version}`;

/** The release in such a name; null for a name of another program. */
export function releaseOf(name: string): string | null {
  const match = /^webhook-gateway(?: relay)?(?:\/(\S+))?$/.exec(name);
  return match === null ? null : (match[1] ?? '0.2.0');
}
