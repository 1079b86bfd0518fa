import type { AdminClient } from '../../support/admin-client.ts';
import { until } from '../../support/until.ts';

/** The open incident of an account, as soon as the gateway has opened it. Its processes look every ten seconds. */
export const openIncident = (
  admin: AdminClient,
  { account_slug }: { account_slug: string },
  limitMs?: number,
): Promise<{ id: string; cause: string; first_seen_at: string }> =>
  until(
    `an incident of ${account_slug} is open`,
    async () => {
      const { body } = await admin.request('GET', `/admin/incidents?account_slug=${account_slug}&state=open`);
      if (body.length === 0) throw new Error('there is none');
      return body[0];
    },
    { limitMs, retryErrors: true },
  );
