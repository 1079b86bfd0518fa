import { columnsOf } from '../shared/columns-of.ts';
import type { Place } from './hand-over.ts';
import type { ReceivedWebhook } from './transitions/received.ts';

/** A webhook that is being stored, with its events. The first one has its id; one that is skipped has no delivery. */
export interface Arriving {
  webhook: ReceivedWebhook;
  deliveries: Delivery[];
}

/** An event that is being stored, and its place in the relay of this process if it has one. */
export interface Delivery {
  id: string;
  consumerId: string | null;
  place: Place | null;
}

/** The values of the statements in transitions/received.ts; `ofSiblings` is null if no webhook has a further event. */
export function columns(arriving: Arriving[]) {
  const webhooks = arriving.map(({ webhook }) => webhook);
  let end = 1;
  const begins = webhooks.map(({ body }) => {
    const begin = end;
    end += body.length;
    return begin;
  });
  const told = new Set<string>();
  /** Whether the row of this event tells about its consumer. */
  const tells = (accountId: string, { consumerId, place }: Pick<Delivery, 'consumerId' | 'place'>) => {
    const owner = consumerId ?? accountId;
    if (!place || told.has(owner)) return false;
    told.add(owner);
    return true;
  };
  const firsts = arriving.map(({ webhook: { accountId }, deliveries: [first] }) => ({
    token: first?.place?.token ?? null,
    tells: first !== undefined && tells(accountId, first),
  }));
  const siblings = arriving.flatMap(({ webhook: { id: requestId, accountId }, deliveries }) =>
    deliveries.slice(1).map((sibling) => ({
      ...{ id: sibling.id, requestId, consumerId: sibling.consumerId, token: sibling.place?.token ?? null },
      tells: tells(accountId, sibling),
    })),
  );
  const values = [
    ...columnsOf(webhooks, 'id', 'accountId', 'eventType', 'externalId', 'receivedAt', 'headers', 'contentType'),
    begins,
    webhooks.map(({ body }) => body.length),
    ...columnsOf(webhooks, 'dedupKey'),
    Buffer.concat(webhooks.map(({ body }) => body)),
    ...columnsOf(firsts, 'token', 'tells'),
    ...columnsOf(webhooks, 'provider', 'accountSlug', 'appKey', 'traceparent', 'dedupWindowS'),
    ...columnsOf(webhooks, 'consumerId', 'skippedReason'),
    webhooks.map(({ unmatched }) => unmatched && JSON.stringify(unmatched)),
    ...columnsOf(webhooks, 'consumersRevision'),
  ];
  const ofSiblings =
    siblings.length === 0 ? null : columnsOf(siblings, 'id', 'requestId', 'consumerId', 'token', 'tells');
  return { values, ofSiblings };
}
