import { consumersOf } from '../consumer.ts';
import type { Webhook } from '../load.ts';
import type { EventRow, Rows } from '../rows.ts';
import { some } from './some.ts';

/**
 * Every acknowledged webhook is stored once, with an event for each consumer that wants it, and every stored event is
 * delivered, exhausted or cancelled. A webhook that is not acknowledged has all of its events or none, and it has no answer, or
 * 503, so that its provider sends it again.
 */
export function checkEvents({ events }: Rows, webhooks: readonly Webhook[]): string[] {
  const byWebhook = Map.groupBy(events, nameOf);
  const lost = webhooks.filter(({ eventId }) => eventId !== null && !events.some(({ id }) => id === eventId));
  const inPart = webhooks.flatMap((webhook) => {
    const stored = byWebhook.get(nameOf(webhook)) ?? [];
    if (stored.length === 0 && webhook.eventId === null) return [];
    const found = stored.map(({ consumer }) => consumer).sort();
    return String(found) === String(consumersOf(webhook)) ? [] : [{ ...webhook, found }];
  });
  const apart = [...byWebhook.values()].filter((those) => !isOneWebhook(those));
  const otherId = webhooks.filter(({ eventId, ...webhook }) => {
    const [one] = byWebhook.get(nameOf(webhook)) ?? [];
    return eventId !== null && one !== undefined && one.requestId !== eventId;
  });
  const twice = webhooks.filter(({ otherIds }) => otherIds.length > 0);
  const odds = webhooks.filter(({ refused }) => refused.some((status) => status !== null && status !== 503));
  const copies = [...Map.groupBy(events, (event) => `${nameOf(event)}/${event.consumer}`)].filter(
    ([, rows]) => rows.length > 1,
  );
  const open = events.filter(({ deliveryStatus }) => deliveryStatus !== 'delivered' && deliveryStatus !== 'failed');
  const odd = events.filter(
    ({ status, deliveryStatus, generation }) =>
      generation !== 0 || !(deliveryStatus === 'failed' ? ['failed', 'dead'] : ['enqueued']).includes(status),
  );
  return [
    ...some('acknowledged webhooks are not stored', lost),
    ...some('webhooks have not an event for each consumer that wants them', inPart),
    ...some('events of one webhook have other ids of it, or none has its id', apart),
    ...some('webhooks are stored under another id than was acknowledged', otherId),
    ...some('webhooks were refused with another status than 503', odds),
    ...some('resent webhooks were accepted as another event', twice),
    ...some('webhooks are stored more than once for a consumer', copies),
    ...some('events are neither delivered nor exhausted', open),
    ...some('events have a status that does not go with their delivery', odd),
  ];
}

const nameOf = ({ account, externalId }: { account: string; externalId: string }) => `${account}/${externalId}`;

/** The characters of an id that have its millisecond. */
const millisecond = 13;

/** Whether these events have the id of one webhook, whose id one of them has, and its millisecond. */
function isOneWebhook(events: readonly EventRow[]): boolean {
  const [{ requestId } = { requestId: '' }] = events;
  return (
    events.some(({ id }) => id === requestId) &&
    events.every(
      (event) => event.requestId === requestId && event.id.slice(0, millisecond) === requestId.slice(0, millisecond),
    )
  );
}
