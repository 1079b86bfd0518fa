// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests, field by field
type Json = any;

/** What an event with everything has beside the fields of the lists. */
const detailFields = [
  ...['payload', 'payload_bytes', 'payload_sha256', 'payload_truncated', 'headers', 'headers_truncated'],
  ...['delivery_history', 'notifications', 'workflow'],
];

/** An event as the lists show it, of the answer that holds everything. */
export const listItemOf = (event: Json): Json =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !detailFields.includes(name)));
