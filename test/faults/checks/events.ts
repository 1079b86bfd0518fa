import type { Webhook } from '../load.ts';
import type { Rows } from '../rows.ts';
import { some } from './some.ts';

/**
 * Every acknowledged webhook is stored once, and every stored event is delivered, exhausted or cancelled. A webhook that is not
 * acknowledged has no answer, or 503, so that its provider sends it again.
 */
export function checkEvents({ events }: Rows, webhooks: readonly Webhook[]): string[] {
  const stored = new Set(events.map(({ id }) => id));
  const lost = webhooks.filter(({ eventId }) => eventId !== null && !stored.has(eventId));
  const twice = webhooks.filter(({ otherIds }) => otherIds.length > 0);
  const odds = webhooks.filter(({ refused }) => refused.some((status) => status !== null && status !== 503));
  const copies = [...Map.groupBy(events, ({ account, externalId }) => `${account}/${externalId}`)].filter(
    ([, rows]) => rows.length > 1,
  );
  const open = events.filter(({ deliveryStatus }) => deliveryStatus !== 'delivered' && deliveryStatus !== 'failed');
  const odd = events.filter(
    ({ status, deliveryStatus, generation }) =>
      generation !== 0 || !(deliveryStatus === 'failed' ? ['failed', 'dead'] : ['enqueued']).includes(status),
  );
  return [
    ...some('acknowledged webhooks are not stored', lost),
    ...some('webhooks were refused with another status than 503', odds),
    ...some('resent webhooks were accepted as another event', twice),
    ...some('webhooks are stored more than once', copies),
    ...some('events are neither delivered nor exhausted', open),
    ...some('events have a status that does not go with their delivery', odd),
  ];
}
