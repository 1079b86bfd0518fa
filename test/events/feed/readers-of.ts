import { expect } from 'vitest';
import { EventReceiver } from '../../../src/events/event-receiver.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { receivedEvent } from '../../support/received.ts';
import { until } from '../../support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
export const idsIn = (body: any): string[] => body.data.map(({ event }: any) => event.id);

/** Readers of the feed of a gateway. */
export function readersOf(gateway: TestGateway) {
  const feed = (query: string) => gateway.admin.request('GET', `/admin/feed?${query}`);

  /** An account, and a reader of it that begins now. */
  async function begun(filters = '', fields: Record<string, unknown> = {}) {
    const account = await gateway.admin.createAccount(fields);
    const query = `account=${account.id}${filters}`;
    let { cursor } = (await feed(query)).body;
    const receiver = new EventReceiver(gateway.database);
    /** Stores an event without an attempt. */
    const received = async (event: Parameters<typeof receivedEvent>[1] = {}) => {
      const made = receivedEvent(account, event);
      expect(await receiver.receive(made)).toEqual({ kind: 'stored' });
      return made.id;
    };
    /** Reads on until so many events have come; open transactions of other tests may hold them back. */
    const next = async (count: number): Promise<string[]> => {
      const ids: string[] = [];
      await until(`${count} events are in the feed`, async () => {
        const { status, body } = await feed(`${query}&cursor=${cursor}&wait=1s`);
        expect(status).toBe(200);
        ids.push(...idsIn(body));
        cursor = body.cursor;
        return ids.length >= count;
      });
      return ids;
    };
    /** Reads to the end: up to an event that is stored now. */
    const rest = async (): Promise<string[]> => {
      const last = await received({ eventType: 'last' });
      const ids: string[] = [];
      while (!ids.includes(last)) ids.push(...(await next(1)));
      return ids.filter((id) => id !== last);
    };
    return { account, query, cursor: () => cursor as string, received, next, rest };
  }

  return { feed, begun };
}

/** Resolves when a call of the feed that began at this time waits for events: only then are they looked for. */
export const waiting = (gateway: TestGateway, since: Date) =>
  until('the call waits', async () => {
    // A call before it may have been waiting until then.
    const looks = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and query like '%news as materialized%' and query_start > $1::timestamptz + interval '300 ms'`;
    return (await gateway.rows(looks, [since])).length > 0;
  });
