import { Elysia } from 'elysia';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import { streamedAnswer } from '../../http/direct-answer.ts';
import { nodeExchange } from '../../http/node-request.ts';
import { noBody, operation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { eventStream } from '../event-schemas.ts';
import { type ChangeFeed, maxStreams } from './change-feed.ts';
import { streamQuery } from './stream-filter.ts';

/** `/admin/events/stream`. */
export function streamRoutes({ calls, changes }: { calls: AdminCalls; changes: ChangeFeed }) {
  return new Elysia({ name: 'event-stream', prefix: '/events' }).get(
    '/stream',
    async ({ query, request }) => {
      const call = calls.of(request);
      call.note({ query });
      const [, response] = nodeExchange(request);
      if (!changes.reserve(response))
        throw new Problem(
          'too_many_streams',
          `this process has ${maxStreams} open streams, or stops; try again later`,
          {
            headers: { 'retry-after': '10' },
          },
        );
      await changes.start();
      const lastId = request.headers.get('last-event-id');
      return streamedAnswer(request, {
        headers: {
          'content-type': 'text/event-stream',
          'x-content-type-options': 'nosniff',
          // Proxies such as nginx would hold messages back until their buffer is full.
          'x-accel-buffering': 'no',
        },
        open: (stream) =>
          changes.add(stream, query, lastId, { accountIds: call.accountIds, isInForce: () => call.isInForce() }),
      });
    },
    operation('event.stream', {
      role: 'read',
      scope: 'list',
      summary: 'Stream new and changed events',
      description:
        'Server-sent events, which end only with the connection. Read them with `fetch`, because the token is in a header. `Last-Event-ID` resumes. For a token with a scope: of the accounts that are within it when the stream begins.\n\n- `ready` `{"resumed"}`: first. If `false`, load the list now: only later changes are reported\n- `event`: the present state of a new or changed event, as in the list\n- `incident`: the present state of an incident that was opened or has changed, as in the list of incidents, without `waiting` and `exhausted`\n- `unmatched` `{"id"}`: a reported event no longer matches `state`, `status`, `delivery_status`, `response_code` or `job`\n- `left_out` `{"events"}`: this number of new or changed events was not reported, because there were more than 1,000 a second\n- `reset` `{"reason"}`: other events may have changed; load the list again\n- `dropped` `{"reason"}`: last, to a client that reads too slowly\n- `end` `{"reason"}`: last, when the gateway stops (`shutdown`) or the token is no longer valid (`token_ended`)',
      body: noBody,
      query: streamQuery,
      success: { 200: eventStream },
      contentType: 'text/event-stream',
      errors: ['too_many_streams'],
    }),
  );
}
