import type { Treaty } from '@elysia/eden';
import type { api } from '../../api/client.ts';

type Routes = (typeof api)['audit-logs'];

/** One entry of the audit log. */
export type Entry = Treaty.Data<Routes['get']>[number];
export type Statistics = Treaty.Data<Routes['stats']['get']>;
export type Verification = Treaty.Data<Routes['verify']['get']>;

/** The filters of the page, as they stand in the address. */
export interface AuditFilters {
  actor?: string | undefined;
  action?: string | undefined;
  ip_address?: string | undefined;
  event_id?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** `all` shows calls that only read and wrong tokens, too. */
  show?: string | undefined;
}
