import type { Variables } from '../conditions/tree.ts';

/** What conditions of consumers read of a webhook, besides its content. */
export interface WebhookVariables {
  provider: string;
  accountSlug: string;
  appKey: string;
  eventType: string | null;
}

/** The variables of a webhook. Those that only an attempt gives a value are unused: no condition of a consumer names them. */
export function consumerVariables({ provider, accountSlug, appKey, eventType }: WebhookVariables): Variables {
  return {
    ...{ provider, account_slug: accountSlug, app_key: appKey, event_type: eventType },
    ...{ delivery_failed: false, attempts: 0, response_code: null },
  };
}
