import { expect } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { createResources, type ResourceIds } from '../support/resources.ts';

const tables = [
  'accounts',
  'consumers',
  'destinations',
  'events',
  'incidents',
  'bulk_jobs',
  'event_actions',
  'event_replays',
];

/** Makes accounts whose names are in all that they have. */
export function ownersOf(gateway: TestGateway, consumerUrl: () => string) {
  let made = 0;
  /** An account with one event, an incident, a job and more, whose name is in all that they contain. */
  async function owner(): Promise<{ ids: ResourceIds; appKey: string; slug: string; eventType: string }> {
    const ids = await createResources(gateway, consumerUrl());
    const name = `owner-${++made}`;
    const { status } = await gateway.admin.request('PATCH', `/admin/accounts/${ids.account_id}`, {
      ...{ account_slug: name, app_key: `key-of-${name}` },
    });
    expect(status).toBe(200);
    const { body } = await gateway.send(
      { provider: 'generic', account_slug: name },
      `{"id":"${name}","type":"type.${name}"}`,
    );
    return {
      ids: { ...ids, event_id: body.id },
      ...{ appKey: `key-of-${name}`, slug: name, eventType: `type.${name}` },
    };
  }

  /** The rows of an account, as text. */
  async function rowsOf({ account_id, event_id, incident_id, job_id }: ResourceIds): Promise<string> {
    const ids = [account_id, event_id, incident_id, job_id];
    const found = await Promise.all(
      tables.map((table) =>
        gateway.rows(`select t::text as row from ${table} t where t::text like any($1) order by 1`, [
          ids.map((id) => `%${id}%`),
        ]),
      ),
    );
    return JSON.stringify(found);
  }

  return { owner, rowsOf };
}
