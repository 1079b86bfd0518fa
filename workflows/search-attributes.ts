import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** The search attributes with which operators find workflows in Temporal's Web UI. Registered when a worker starts. */
export const searchAttributes = {
  provider: defineSearchAttributeKey('WebhookProvider', SearchAttributeType.KEYWORD),
  account: defineSearchAttributeKey('WebhookAccount', SearchAttributeType.KEYWORD),
  appKey: defineSearchAttributeKey('WebhookAppKey', SearchAttributeType.KEYWORD),
  eventType: defineSearchAttributeKey('WebhookEventType', SearchAttributeType.KEYWORD),
  deliveryStatus: defineSearchAttributeKey('WebhookDeliveryStatus', SearchAttributeType.KEYWORD),
  attempt: defineSearchAttributeKey('WebhookAttempt', SearchAttributeType.INT),
};
