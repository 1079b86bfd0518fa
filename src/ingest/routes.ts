import type { IncomingMessage } from 'node:http';
import { Elysia, NotFoundError } from 'elysia';
import { z } from 'zod';
import { readAccountName } from '../accounts/address-reads.ts';
import { BatcherFull } from '../database/batcher.ts';
import { isDatabaseError } from '../database/errors.ts';
import { eventStatuses } from '../events/event.ts';
import type { BodyReader } from '../http/bodies/body-reader.ts';
import { directAnswer } from '../http/direct-answer.ts';
import { isReserved } from '../http/method-not-allowed.ts';
import { nodeExchange, nodeRequest } from '../http/node-request.ts';
import { publicOperation } from '../http/operation.ts';
import { databaseUnavailable, Problem } from '../http/problem.ts';
import { inboundRequest } from '../providers/inbound-request.ts';
import type { ChallengeAnswer } from '../providers/provider.ts';
import type { WebhookResult } from '../telemetry/metrics/metrics.ts';
import { handshake } from './handshake.ts';
import { findAddress, type IngestDeps, ingest } from './ingest.ts';
import { describeAddress, describeAnswer, inWebhookSpan } from './webhook-span.ts';

const json = { 'content-type': 'application/json' };

const accepted = z
  .object({
    id: z.uuid(),
    status: z.enum(eventStatuses),
    external_id: z.string(),
    event_type: z.string().nullable(),
    duplicate: z
      .boolean()
      .meta({ description: 'Whether the webhook was received before; `id` is then the id of the existing event' }),
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
      'docs/providers.md describes how each provider sends its secret or signature. The response is sent after the event is committed to the database.',
    operationId: 'receiveWebhook',
    tag: 'ingestion',
    success: {
      200: {
        description: 'Same meaning as 202, for providers that require status 200; or the response to a challenge',
        schema: accepted,
      },
      202: {
        description: 'The event is stored, and will be delivered to the consumers that want it',
        schema: accepted,
      },
    },
    errors: [
      'verification_failed',
      'account_disabled',
      'account_not_found',
      'payload_too_large',
      'invalid',
      'internal',
      'database_unavailable',
      'overloaded',
    ],
  },
  'bytes',
);

const checkAnswer = z.string().meta({ examples: ['1158201444'] });

const handshakeDescribed = publicOperation({
  summary: "Respond to a provider's check of the address",
  description:
    'For providers that check the address before they send webhooks (`handshake` in `GET /admin/providers`). Responds as the provider documents, also to HEAD. The response for other providers is 405.',
  operationId: 'checkAddress',
  tag: 'ingestion',
  success: {
    200: { description: 'The response that the provider requires', schema: checkAnswer, contentType: 'text/plain' },
  },
  errors: [
    'verification_failed',
    'account_disabled',
    'account_not_found',
    'method_not_allowed',
    'internal',
    'database_unavailable',
  ],
});

/**
 * `/{provider}/{account_slug}`: providers POST their webhooks here, and some first check the address by GET or HEAD.
 */
export function ingestRoutes(
  deps: IngestDeps & {
    bodies: BodyReader;
    maxPayloadBytes: number;
    publicUrl: string | null;
    /** The client's key for per-client limits. */
    clientOf: (request: IncomingMessage) => string;
    /** Called for each webhook that is refused for its size. */
    tooLarge: (provider: string, accountSlug: string) => void;
  },
) {
  const inbound = (node: IncomingMessage, body: Uint8Array, receivedAt = new Date()) =>
    inboundRequest({
      rawHeaders: node.rawHeaders,
      target: node.url ?? '',
      publicUrl: deps.publicUrl,
      body,
      receivedAt,
    });
  return new Elysia({ name: 'ingest' })
    .get(
      '/:provider/:slug',
      async ({ request, params }) => {
        const provider = deps.providers.get(params.provider);
        if (!provider?.handshake) throw new NotFoundError();
        const node = nodeRequest(request);
        try {
          const client = () => deps.clientOf(node);
          return respond(
            request,
            await handshake(deps, provider, params.slug, inbound(node, new Uint8Array()), client),
          );
        } catch (error) {
          throw unavailable(error);
        }
      },
      handshakeDescribed,
    )
    .post(
      '/:provider/:slug',
      async ({ request, params }) => {
        if (isReserved(params.provider)) throw new NotFoundError();
        const receivedAt = new Date();
        const beganMs = performance.now();
        const [node, response] = nodeExchange(request);
        const client = () => deps.clientOf(node);
        const count = (result: WebhookResult) =>
          deps.metrics.webhookAnswered(params.provider, result, performance.now() - beganMs);
        // Before the span begins: anyone can send requests to no account, and they would use up TRACES_PER_SECOND.
        const found = await findAddress(deps, params.provider, params.slug, client).then(
          (address) => ({ address, endedMs: performance.now() }),
          (error: unknown) => ({ error }),
        );
        if ('error' in found && found.error instanceof Problem && found.error.status === 404) {
          count('refused');
          throw found.error;
        }
        return inWebhookSpan(node.headers, beganMs, async (span) => {
          let result: WebhookResult | null = 'refused';
          try {
            if ('error' in found) throw found.error;
            const { address, endedMs } = found;
            if (span && address.found.fresh) span.addStatement(readAccountName, beganMs, endedMs);
            const body = await deps.bodies.read(node, response, deps.maxPayloadBytes).catch((error: unknown) => {
              if (error instanceof Problem && error.code === 'payload_too_large')
                deps.tooLarge(params.provider, params.slug);
              throw error;
            });
            if (span) describeAddress(span, address, body.length);
            const answer = await ingest(deps, address, inbound(node, body, receivedAt), client);
            if (span) describeAnswer(span, answer);
            // A provider's check of the address is no webhook.
            result = answer.kind === 'challenge' ? null : answer.body.duplicate ? 'duplicate' : 'accepted';
            if (answer.kind === 'challenge') return respond(request, answer);
            const { status = 202, reply } = answer.acknowledgement ?? {};
            if (reply) return respond(request, { status, ...reply });
            return directAnswer(request, {
              ...{ status, headers: json },
              ...{ body: JSON.stringify(answer.body), isShared: false },
            });
          } catch (error) {
            if (error instanceof Problem && error.code === 'verification_failed') result = 'rejected';
            throw unavailable(error);
          } finally {
            if (result) count(result);
          }
        });
      },
      // The handler reads the bytes itself.
      { parse: 'none', ...described },
    );
}

const respond = (request: Request, { status, contentType, body }: ChallengeAnswer) =>
  directAnswer(request, {
    status,
    headers: { 'content-type': contentType, 'x-content-type-options': 'nosniff' },
    ...{ body, isShared: false },
  });

/** Not logged: while the database is down, each webhook would add a line. */
const unavailable = (error: unknown): unknown =>
  error instanceof BatcherFull || isDatabaseError(error) ? databaseUnavailable() : error;
