import type { TestGateway } from '../support/gateway.ts';
import { consumersOf } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
type Json = any;

/** Before all webhooks of the tests. */
export const since = '2020-01-01T00:00:00Z';

/** An account with webhooks that were stored, and what backfills make of them. */
export async function pastOf(gateway: TestGateway, fields: Record<string, unknown> = {}) {
  const account = await gateway.admin.createAccount({ delivery_url: 'http://127.0.0.1:9/default', ...fields });
  const consumers = consumersOf(gateway, account.id);
  /** The events of a consumer, oldest first. */
  const events = (consumer: { id: string }): Promise<Json[]> =>
    gateway.rows(
      `select e.*, q.lane, q.direct, q.account_id as queued_for from events e left join event_queue q on q.event_id = e.id
       where e.account_id = $1 and e.consumer_id is not distinct from $2 and e.skipped_reason is null and e.rejection_reason is null order by e.id`,
      [account.id, consumer.id === account.id ? null : consumer.id],
    );
  return {
    ...{ account, consumers, events },
    /** Sends webhooks one after another, and returns their ids. */
    async send(...payloads: object[]): Promise<string[]> {
      const ids: string[] = [];
      for (const payload of payloads) {
        const body = JSON.stringify({ id: `w-${Math.random()}`, ...payload });
        const answer = await gateway.send(account, body);
        if (answer.status !== 202) throw new Error(`not accepted: ${answer.status}`);
        ids.push(answer.body.id);
      }
      return ids;
    },
    /** Orders a backfill, and returns its job. Throws unless it was accepted. */
    async ordered(name: string, order: object = {}): Promise<Json> {
      const { status, body } = await consumers.backfill(name, { since, ...order });
      if (status !== 202) throw new Error(`the backfill was answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    async dry(name: string, order: object = {}): Promise<Json> {
      const { status, body } = await consumers.backfill(name, { since, ...order, dry_run: true });
      if (status !== 200) throw new Error(`the dry run was answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    /** The webhooks of which a consumer has events, one for each event. */
    async webhooksOf(consumer: { id: string }): Promise<string[]> {
      return (await events(consumer)).map(({ id, request_id }) => request_id ?? id);
    },
  };
}
