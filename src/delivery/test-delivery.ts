import { v7 as uuidv7 } from 'uuid';
import type { AccountRow } from '../accounts/account-entity.ts';
import { type AccountMasks, accountSecrets } from '../accounts/account-mask.ts';
import { deliveryTarget } from '../accounts/delivery-target.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { deliveryHeaders } from './headers.ts';
import { maskError } from './mask-error.ts';
import type { Sender } from './send.ts';
import { signDelivery } from './signature.ts';

const eventType = 'webhook_gateway.test';

/** The outcome of a test delivery. `url` contains no secrets; it is null when there is no URL to show. */
export type TestDelivery =
  | { ok: true; url: string; responseCode: number; durationMs: number }
  | {
      ok: false;
      /** As in a delivery history: `http_error`, `timeout`, `no_delivery_url` … */
      outcome: string;
      /** What happened, as text for operators; contains no secret. */
      detail: string;
      /** Null without a response. */
      responseCode: number | null;
      url: string | null;
      durationMs: number;
    };

/**
 * Posts a signed test event to the account's delivery URL and returns the outcome. It is not recorded and not retried.
 * The header `x-webhook-test: true` marks it; no real delivery has this header. Never throws.
 */
export async function testDelivery(
  deps: { sender: Sender; box: SecretBox; masks: AccountMasks; timeLimitMs: number },
  account: AccountRow,
): Promise<TestDelivery> {
  const sealed = accountSecrets(account);
  const target = deliveryTarget(sealed, deps.box);
  if (!target.ok)
    return { ok: false, outcome: target.outcome, detail: target.error, responseCode: null, url: null, durationMs: 0 };
  const result = await deps.sender.post({
    url: target.url,
    ...testEvent(account, target.secret),
    timeLimitMs: deps.timeLimitMs,
  });
  const url = target.shown;
  const { outcome, responseCode, durationMs } = result;
  if (outcome === 'delivered' && url !== null) return { ok: true, url, responseCode, durationMs };
  const detail = maskError(deps.masks.of(sealed), result.error ?? outcome, target.url);
  return { ok: false, outcome, detail, responseCode, url, durationMs };
}

function testEvent(account: AccountRow, secret: string | null) {
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
      ...{ eventId: id, externalId: id, eventType, provider, accountSlug: account_slug },
      ...{ attempt: 1, replay: false, test: true },
    },
    webhook: {
      id,
      timestampS,
      signature: secret === null ? null : signDelivery({ secret, id, timestampS, body }),
    },
  });
  return { headers, body };
}
