// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
type Json = any;

/** The fields of a single event that lists leave out. */
const detailFields = [
  ...['payload', 'payload_bytes', 'payload_sha256', 'payload_truncated', 'headers', 'headers_truncated'],
  ...['siblings', 'unmatched', 'rejection_check', 'rejected_event_id'],
  ...['delivery_history', 'notifications', 'actions', 'pauses', 'workflow'],
];

/** An event as lists show it, made from the answer with all its fields. */
export const listItemOf = (event: Json): Json =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !detailFields.includes(name)));
