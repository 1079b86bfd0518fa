/**
 * An SQL condition: the events `s` of the webhook `request`. Their ids begin with the same millisecond, in the first 13
 * characters, so no index is needed.
 *
 * @param request an SQL expression: the id of the webhook
 */
export const ofRequest = (request: string) =>
  `s.id between (left(${request}::text, 13) || '-0000-0000-000000000000')::uuid
        and (left(${request}::text, 13) || '-ffff-ffff-ffffffffffff')::uuid and coalesce(s.request_id, s.id) = ${request}`;

/**
 * Joins the event `e`, whose id is $1, with its payload `p`, which is stored once for all events of a webhook. $2 and $3 are
 * the range of the id (`idRange`), so that only the partition of its day is read.
 */
export const payloadOfEvent = 'p.event_id = coalesce(e.request_id, e.id) and p.event_id between $2 and $3';
