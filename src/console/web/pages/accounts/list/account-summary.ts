import type { Treaty } from '@elysia/eden';
import type { api } from '../../../api/client.ts';

/** An account in the list. */
export type AccountSummary = Treaty.Data<typeof api.accounts.get>[number];
