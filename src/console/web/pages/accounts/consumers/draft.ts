import { type Consumer, type ConsumerChange, defaultName, type NewConsumer } from './consumer-types.ts';
import { type DeliveryDraft, deliveryChange, deliveryDraftOf } from './delivery-draft.ts';

/** What stands in the form. */
export interface Draft {
  name: string;
  url: string;
  /** Only a new one; the API never shows the stored one. */
  secret: string;
  removesSecret: boolean;
  /** Whether the stored secret signs beside the new one for a day. */
  rotates: boolean;
  enabled: boolean;
  condition: string;
  delivery: DeliveryDraft;
}

/** The draft of a stored consumer, or of a new one. */
export function draftOf(stored: Consumer | null): Draft {
  const { name = '', url = '', enabled = true, condition = '' } = stored ?? {};
  return {
    ...{
      name,
      enabled,
      secret: '',
      removesSecret: false,
      rotates: stored?.has_secret ?? false,
      url: url ?? '',
      condition: condition ?? '',
    },
    delivery: deliveryDraftOf(stored),
  };
}

/** The condition as the API takes it; without one, the consumer gets all webhooks. */
export const conditionOf = (text: string) => (text.trim() === '' ? null : text);

/** The body that creates the consumer. */
export function newConsumer({ name, url, secret, enabled, condition, delivery }: Draft): NewConsumer {
  return {
    ...{ name: name.trim(), url: url.trim(), enabled, condition: conditionOf(condition) },
    ...(secret === '' ? {} : { secret }),
    ...deliveryChange(deliveryDraftOf(null), delivery),
  };
}

/** The body that changes the stored consumer: only what is different, and of `default` only what is its own. */
export function changeOf(stored: Consumer, draft: Draft): ConsumerChange {
  const { name, url, enabled, condition } = newConsumer(draft);
  const own = {
    ...(enabled === stored.enabled ? {} : { enabled }),
    ...(condition === stored.condition ? {} : { condition }),
    ...deliveryChange(deliveryDraftOf(stored), draft.delivery),
  };
  if (stored.name === defaultName) return own;
  const secret = draft.removesSecret ? null : draft.secret;
  return {
    ...own,
    ...(name === stored.name ? {} : { name }),
    ...(url === stored.url ? {} : { url }),
    ...(secret === '' ? {} : { secret }),
    ...(secret && draft.rotates && { rotate: true }),
    // The form says that the former one is dropped.
    ...(secret && draft.rotates && stored.secret_previous_expires_at !== null && { replace_previous: true }),
  };
}

const fieldNames = new Set([
  ...['name', 'url', 'secret', 'condition'],
  ...['headers', 'authentication', 'ca', 'signature', 'timeout', 'schedule', 'success', 'final'],
]);

/** Whether the form shows errors of this path next to a field. */
export const hasField = (path: string) => fieldNames.has(path.split('.')[0] ?? '');
