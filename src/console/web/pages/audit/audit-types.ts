import type { Treaty } from '@elysia/eden';
import type { api } from '../../api/client.ts';

type Routes = (typeof api)['audit-logs'];

/** One entry of the audit log. */
export type Entry = Treaty.Data<Routes['get']>[number];
export type Statistics = Treaty.Data<Routes['stats']['get']>;
export type Verification = Treaty.Data<Routes['verify']['get']>;

/** The filters of the page, as they stand in the address. `show=all` shows calls that only read and wrong tokens, too. */
export const auditFilterNames = ['actor', 'action', 'ip_address', 'event_id', 'since', 'until', 'show'] as const;
export type AuditFilters = { [name in (typeof auditFilterNames)[number]]?: string | undefined };
