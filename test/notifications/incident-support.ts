import { v7 as uuidv7 } from 'uuid';
import { changesOf } from '../../src/incidents/told-changes.ts';
import { createPlaces } from '../../src/notifications/incident-messages/place.ts';
import { tellIncidents } from '../../src/notifications/incident-messages/tell-incidents.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import type { TestGateway } from '../support/gateway.ts';
import { addDestination } from '../support/services/notified-events.ts';
import type { Destination } from '../support/services/receivers.ts';
import { until } from '../support/until.ts';

/** All that is told about incidents. */
export const incidentKinds = ['incident.opened', 'incident.resolved'];

interface Opened {
  kind?: 'delivery' | 'rejections' | 'gateway';
  /** The name of a consumer; by default `default`. */
  consumer?: string;
  cause?: string;
  agoS?: number;
}

/** A message about an incident, as the API shows it. */
export interface ShownMessage {
  id: string;
  name: string;
  kind: string;
  reminder: boolean;
  status: string;
  attempts: number;
  error: string | null;
  sent_with: number;
}

/** Incidents of a gateway: opened as by its own judge, resolved and reopened as by an operator. */
export function incidentsOf(gateway: TestGateway) {
  const { database, keyring, admin } = gateway;
  const places = createPlaces({ keyring, box: createSecretBox(keyring) });
  const insert = `
    insert into incidents (id, kind, account_id, consumer_id, cause, first_seen_at, last_seen_at, attempts)
    select $1, $2, $3, (select id from consumers where account_id = $3 and name = $4), $5,
      now() - make_interval(secs => $6), now(), 5`;
  const patch = async (id: string, body: object) => {
    const { status, body: answer } = await admin.request('PATCH', `/admin/incidents/${id}`, body);
    if (status !== 200) throw new Error(`not changed: ${JSON.stringify(answer)}`);
  };
  const incidents = {
    /** Opens an incident of each account, in one transaction. */
    async openOfAll(accounts: readonly { id: string }[], opened: Opened = {}): Promise<string[]> {
      const { kind = 'delivery', consumer = 'default', cause = '500 TypeError webhooks.js:#', agoS = 0 } = opened;
      const ids = accounts.map(() => uuidv7());
      await database.transaction(async (sql) => {
        for (const [at, id] of ids.entries())
          await sql.query({ name: '', text: insert }, [id, kind, accounts[at]?.id, consumer, cause, agoS]);
        const changes = ids.map((id) => ({ id, change: 'opened' as const }));
        await tellIncidents(places)(sql, await changesOf(sql, changes));
      });
      return ids;
    },
    async open(account: { id: string }, opened: Opened = {}): Promise<string> {
      const [id = ''] = await incidents.openOfAll([account], opened);
      return id;
    },
    acknowledge: (id: string) => patch(id, { state: 'acknowledged' }),
    resolve: (id: string) => patch(id, { state: 'resolved' }),
    reopen: (id: string) => patch(id, { state: 'open' }),
    async messages(id: string): Promise<ShownMessage[]> {
      const { status, body } = await admin.request('GET', `/admin/incidents/${id}/messages`);
      if (status !== 200) throw new Error(`no messages: ${JSON.stringify(body)}`);
      return body;
    },
    /** Waits until there are as many messages, none of which is pending. */
    settled: (id: string, count: number): Promise<ShownMessage[]> =>
      until(`${count} messages about the incident are settled`, async () => {
        const messages = await incidents.messages(id);
        return messages.length === count && messages.every(({ status }) => status !== 'pending') && messages;
      }),
    /** Creates an account with these destinations, which get the messages about incidents unless they say otherwise. */
    async account(destinations: Partial<Destination & { kinds: string[] }>[], fields: object = {}) {
      const account = await admin.createAccount({ ...fields });
      const ids: string[] = [];
      for (const [position, destination] of destinations.entries())
        ids.push(
          await addDestination(admin, account.id, { position, kinds: incidentKinds, ...destination } as Destination),
        );
      return { account, ids };
    },
  };
  return incidents;
}

/** Each message as `<name> <kind> <status> <attempts>`, with `again` for a reminder. */
export const summarised = (messages: readonly ShownMessage[]): string[] =>
  messages.map(({ name, kind, reminder, status, attempts }) =>
    [name, kind.replace('incident.', ''), ...(reminder ? ['again'] : []), status, attempts].join(' '),
  );
