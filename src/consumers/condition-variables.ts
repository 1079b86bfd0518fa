import { conditionText } from '../conditions/condition-text.ts';
import type { VariableName, Variables } from '../conditions/tree.ts';

/** The variables of conditions of consumers: what is known of a webhook before its first attempt. */
export const consumerVariableNames = [
  ...(['provider', 'account_slug', 'app_key', 'event_type', 'external_id'] as const),
] as const satisfies VariableName[];

/** What conditions of consumers read of a webhook, besides its content. */
export interface WebhookVariables {
  provider: string;
  accountSlug: string;
  appKey: string;
  eventType: string | null;
  externalId: string;
}

/** The variables of a webhook. */
export function consumerVariables(webhook: WebhookVariables): Pick<Variables, (typeof consumerVariableNames)[number]> {
  const { provider, accountSlug, appKey, eventType, externalId } = webhook;
  return {
    ...{ provider, account_slug: accountSlug, app_key: appKey },
    ...{ event_type: eventType, external_id: externalId },
  };
}

/** A valid condition of a consumer. */
export const consumerCondition = conditionText(consumerVariableNames, [
  'event_type == "order.paid"',
  'event_type.startswith("invoice.") and payload.data.object.amount_due > 0',
]);
