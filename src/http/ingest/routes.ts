import { Elysia, NotFoundError } from 'elysia';
import { z } from 'zod';
import { BatcherFull } from '../../database/batcher.ts';
import { isDatabaseError } from '../../database/errors.ts';
import { eventStatuses } from '../../events/event.ts';
import { inboundRequest } from '../../providers/inbound-request.ts';
import { publicOperation } from '../api/operation.ts';
import { isReserved } from '../method-not-allowed.ts';
import { nodeRequest, readBody } from '../node-request.ts';
import { databaseUnavailable } from '../problem.ts';
import { type IngestDeps, ingest } from './ingest.ts';

const json = { 'content-type': 'application/json' };

const accepted = z
  .object({
    id: z.uuid(),
    status: z.enum(eventStatuses),
    external_id: z.string(),
    event_type: z.string().nullable(),
    duplicate: z.boolean().meta({ description: 'It came before; `id` is that of the first one' }),
  })
  .meta({
    id: 'Accepted',
    examples: [
      {
        id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
        status: 'received',
        external_id: 'order-4711',
        event_type: 'order.created',
        duplicate: false,
      },
    ],
  });

const described = publicOperation(
  {
    summary: 'Receive a webhook',
    description:
      "How the secret travels is the provider's matter: see the README. The answer comes after the webhook is committed to the database.",
    operationId: 'receiveWebhook',
    tag: 'ingestion',
    success: { 202: { description: 'It is stored and will be delivered', schema: accepted } },
    errors: [
      'verification_failed',
      'account_disabled',
      'account_not_found',
      'payload_too_large',
      'invalid',
      'internal',
      'database_unavailable',
    ],
  },
  'bytes',
);

/** `POST /{provider}/{account_slug}`: where providers send their webhooks. */
export function ingestRoutes(deps: IngestDeps & { maxPayloadBytes: number; publicUrl: string | null }) {
  return new Elysia({ name: 'ingest' }).post(
    '/:provider/:slug',
    async ({ request, params }) => {
      if (isReserved(params.provider)) throw new NotFoundError();
      const receivedAt = new Date();
      const node = nodeRequest(request);
      const body = await readBody(node, deps.maxPayloadBytes);
      const inbound = inboundRequest({
        rawHeaders: node.rawHeaders,
        target: node.url ?? '',
        publicUrl: deps.publicUrl,
        body,
        receivedAt,
      });
      try {
        const answer = await ingest(deps, params.provider, params.slug, inbound);
        const own = answer.kind === 'accepted' ? deps.providers.get(params.provider)?.acknowledgement : answer;
        if (own) return new Response(own.body, { status: own.status, headers: { 'content-type': own.contentType } });
        return new Response(JSON.stringify(answer.body), { status: 202, headers: json });
      } catch (error) {
        if (error instanceof BatcherFull || isDatabaseError(error)) throw databaseUnavailable();
        throw error;
      }
    },
    // The bytes are read above; nothing else may touch them.
    { parse: 'none', ...described },
  );
}
