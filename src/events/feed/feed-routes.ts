import { Elysia } from 'elysia';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import type { Database } from '../../database/database.ts';
import { defaultLimit } from '../../http/admin/query-schemas.ts';
import { clientSignal } from '../../http/client-signal.ts';
import { noBody, operation } from '../../http/operation.ts';
import { Problem, problems } from '../../http/problem.ts';
import { cursorText } from './cursor.ts';
import type { Feed } from './feed.ts';
import { accountIdsOf } from './feed-filter.ts';
import type { FeedReaders } from './feed-readers.ts';
import { durationMs, feedPage, feedQuery, timeOf } from './feed-schemas.ts';

/** `stripe/*`: all accounts of a provider. Names of accounts have no `*`. */
const ofProvider = /^(.*)\/\*$/s;

/** `/admin/feed`: stored events in one order, for programs that ask for them. */
export function feedRoutes(deps: {
  database: Database;
  calls: AdminCalls;
  feed: Feed;
  feedReaders: FeedReaders;
  providers: ReadonlyMap<string, unknown>;
  /** DROPPED_HEADERS. */
  droppedHeaders: readonly string[];
}) {
  const { database, calls, feed, feedReaders, providers, droppedHeaders } = deps;
  /** @param within the accounts of the token's scope; null: all */
  const accountsOf = async (given: readonly string[] | undefined, within: readonly string[] | null) => {
    if (given === undefined) return {};
    const names = given.flatMap((name) => ofProvider.exec(name)?.[1] ?? []);
    const other = names.find((name) => !providers.has(name));
    if (other !== undefined) throw new Problem('not_found', `no provider is '${other}'`);
    const { ids, unknown } = await accountIdsOf(
      database.reader,
      given.filter((name) => !ofProvider.test(name)),
      within,
    );
    if (unknown !== null) throw new Problem('not_found', `no account is '${unknown}' (provider/slug, or an id)`);
    return { accountIds: ids, providers: names.length > 0 ? names : undefined };
  };
  return new Elysia({ name: 'feed' }).get(
    '/feed',
    async ({ query, request }) => {
      const { account, consumer, event_type: eventTypes, cursor, since, limit = defaultLimit, wait = '0s' } = query;
      const call = calls.of(request);
      const filters = JSON.parse(JSON.stringify({ account, consumer, event_type: eventTypes }));
      // Of a failed call.
      call.note({ query: filters });
      const { scope } = call;
      const filter = { ...(await accountsOf(account, call.accountIds)), scope, consumer, eventTypes };
      const signal = clientSignal(request);
      const from = since === undefined ? undefined : timeOf(since);
      const waitMs = durationMs(wait) ?? 0;
      const answer = await feed.read({ filter, cursor, since: from, limit, waitMs, signal }).catch((error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      });
      call.requireInForce();
      const { actor, ipAddress } = call;
      const reader = { query: filters, ...(scope ? { token_scope: { ...scope } } : {}) };
      const begins = cursor === undefined;
      await feedReaders.record({ actor, ipAddress, filters: reader, events: answer?.items.length ?? 0, begins });
      call.recordedElsewhere();
      // A client that cuts a call has asked like others; a failed call would have an entry each time.
      if (answer === null) return new Response(null, { status: problems.client_gone[0] });
      const { items, done } = answer;
      const end = JSON.stringify({ cursor: cursorText(answer.cursor), done, dropped_headers: droppedHeaders });
      return new Response(`{"data":[${items.join(',')}],${end.slice(1)}`, {
        headers: { 'content-type': 'application/json' },
      });
    },
    operation('event.feed', {
      role: 'read',
      scope: 'list',
      summary: 'Read stored events one after another',
      description:
        'Each event once, when it is stored, in an order that is the same for all readers; nothing appears before a cursor later on. Later changes do not bring an event back. Rejected webhooks, and those that no consumer gets, are left out. An answer has at most 4 MiB, or one event.\n\nBegin without `cursor`, then ask with the `cursor` of each answer. 410 `cursor_expired`: events after the cursor may be gone; `oldest` is the time of the oldest one that is left, for `since`.',
      body: noBody,
      query: feedQuery,
      success: { 200: feedPage },
      errors: ['not_found', 'cursor_expired', 'too_many_calls', 'stopping'],
    }),
  );
}
