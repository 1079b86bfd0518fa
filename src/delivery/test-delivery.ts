import { v7 as uuidv7 } from 'uuid';
import type { AccountRow } from '../accounts/account-entity.ts';
import { type AccountMasks, accountSecrets } from '../accounts/account-mask.ts';
import { type DeliveryTarget, deliveryTarget } from '../accounts/delivery-target.ts';
import { statusTest } from '../accounts/status-list.ts';
import type { TestedConsumer } from '../consumers/consumer-store.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { addedHeaders } from './attempt/post.ts';
import type { ConsumerSender } from './consumer-sender.ts';
import { type DeliveryStep, stepOf } from './delivery-step.ts';
import { deliveryHeaders } from './headers.ts';
import { maskError } from './mask-error.ts';
import { signaturesOf } from './signature.ts';

const eventType = 'webhook_gateway.test';

/**
 * The outcome of a test delivery. `url` contains no secrets; it is null when there is no URL to show. `responseBody` is
 * the beginning of the response with the account's secrets masked.
 */
export type TestDelivery =
  | { ok: true; url: string; responseCode: number; responseBody: string; durationMs: number }
  | {
      ok: false;
      /** As in a delivery history: `http_error`, `timeout`, `no_delivery_url` … */
      outcome: string;
      step: DeliveryStep;
      /** What happened, as text for operators; contains no secret. */
      detail: string;
      /** Null without a response. */
      responseCode: number | null;
      /** Null without a response. */
      responseBody: string | null;
      url: string | null;
      durationMs: number;
    };

/**
 * Posts a signed test event to a consumer of the account and returns the outcome. It is not recorded and not retried.
 * The header `x-webhook-test: true` marks it; no real delivery has this header. Never throws.
 */
export async function testDelivery(
  deps: { consumerSender: ConsumerSender; box: SecretBox; masks: AccountMasks; timeLimitMs: number },
  account: AccountRow,
  consumer: TestedConsumer,
): Promise<TestDelivery> {
  const sealed = accountSecrets(account, {
    consumer: consumer.address,
    sealedOptions: consumer.sealedOptions,
  });
  const target = deliveryTarget(sealed, deps.box);
  if (!target.ok)
    return {
      ...{ ok: false, outcome: target.outcome, step: 'settings', detail: target.error },
      ...{ responseCode: null, responseBody: null, url: null, durationMs: 0 },
    };
  const { token, ...result } = await deps.consumerSender.post(target, {
    ...testEvent(account, consumer, target),
    timeLimitMs: consumer.options?.timeoutMs ?? deps.timeLimitMs,
    ...(consumer.options?.success && { isSuccess: statusTest(consumer.options.success) }),
    // A test is not retried, so that its Retry-After schedules nothing.
    nowMs: Date.now,
  });
  const url = target.shown;
  const { outcome, responseCode, durationMs } = result;
  const mask = deps.masks.of(sealed, token);
  if (outcome === 'delivered' && url !== null)
    return { ok: true, url, responseCode, responseBody: mask(result.responseBody), durationMs };
  const detail = maskError(mask, result.error ?? outcome, target.url);
  const responseBody = result.responseBody === null ? null : mask(result.responseBody);
  const step = stepOf(outcome, result.connectMs !== null);
  return { ok: false, outcome, step, detail, responseCode, responseBody, url, durationMs };
}

function testEvent(
  account: AccountRow,
  { name: consumer, options }: TestedConsumer,
  target: DeliveryTarget & { ok: true },
) {
  const { provider, account_slug } = account;
  const id = uuidv7();
  const now = new Date();
  const timestampS = Math.floor(now.getTime() / 1000);
  const event = { type: eventType, id, timestamp: now.toISOString(), data: { account_slug, provider } };
  const body = Buffer.from(JSON.stringify(event));
  const headers = deliveryHeaders({
    providerHeaders: [],
    contentType: 'application/json',
    event: {
      ...{ requestId: null, consumer, externalId: id, eventType, provider, accountSlug: account_slug },
      ...{ attempt: 1, replay: false, test: true },
    },
    webhook: { id, timestampS, signature: signaturesOf(target.signing, { id, timestampS, body }, now) },
    added: addedHeaders(options, target.authentication),
  });
  return { headers, body };
}
