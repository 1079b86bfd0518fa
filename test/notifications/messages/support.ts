import type { EventRow } from '../../../src/events/event.ts';
import type { FailureNotice, IncidentNotice, SummaryNotice, ToldIncident } from '../../../src/notifications/notice.ts';

export const utf8 = (text: string) => new TextEncoder().encode(text);

const eventId = '0198f3a2-7c41-7d2e-9a53-5f1c2b7e8d90';

const event: EventRow = {
  id: eventId,
  account_id: '0198f3a2-0000-7d2e-9a53-5f1c2b7e8d90',
  provider: 'generic',
  account_slug: 'shop',
  app_key: 'shop-app',
  event_type: 'order.paid',
  external_id: 'ord_1',
  status: 'failed',
  delivery_status: 'failed',
  attempts: 10,
  last_error: 'HTTP 503',
  response_code: 503,
  generation: 0,
  received_at: new Date('2026-11-21T12:54:00.000Z'),
  delivered_at: null,
  next_attempt_at: null,
  rejection_reason: null,
  rejection_detail: null,
  ...{ skipped_reason: null, backfilled_at: null, bulk_job_id: null, consumer: 'default', request_id: 'request' },
  ...{ scheduled_attempts: 10, schedule_of: null, waits_for: null, failed_by_person: null },
};

/** The notice of a failed event, with some values changed. */
export function failure(changes: Partial<FailureNotice> = {}, ofEvent: Partial<EventRow> = {}): FailureNotice {
  return {
    kind: 'delivery_failed',
    id: `${eventId}.0.d1`,
    sample: false,
    failedAt: new Date('2026-11-21T15:33:16.120Z'),
    event: { ...event, ...ofEvent },
    error: 'HTTP 503',
    attempts: 10,
    dashboardUrl: `https://hooks.example.com/dashboard/events/${eventId}`,
    payload: null,
    ...changes,
  };
}

/** One of the events of a summary. */
export function listed(changes: Partial<SummaryNotice['first'][number]> = {}): SummaryNotice['first'][number] {
  return {
    id: eventId,
    event_type: 'order.paid',
    consumer: 'default',
    error: 'HTTP 503',
    dashboardUrl: `https://hooks.example.com/dashboard/events/${eventId}`,
    ...changes,
  };
}

/** A summary, with some values changed. */
export function summary(changes: Partial<SummaryNotice> = {}): SummaryNotice {
  return {
    kind: 'summary',
    id: 's1',
    account: { provider: 'generic', account_slug: 'shop', app_key: 'shop-app' },
    events: 12,
    since: new Date('2026-11-21T15:20:00.000Z'),
    until: new Date('2026-11-21T15:33:16.000Z'),
    first: [listed(), listed({ event_type: null })],
    dashboardUrl: 'https://hooks.example.com/dashboard/events?provider=generic&account_slug=shop',
    ...changes,
  };
}

const incidentId = '0198f3a2-9999-7d2e-9a53-5f1c2b7e8d90';

/** An incident that has opened, with some values changed. */
export function incident(changes: Partial<ToldIncident> = {}): ToldIncident {
  return {
    ...{ id: incidentId, type: 'incident.opened', reminder: false, kind: 'delivery' },
    at: new Date('2026-11-21T15:23:16.120Z'),
    ...{ account_id: event.account_id, provider: 'stripe', account_slug: 'shop-eu', app_key: 'shop-app' },
    ...{ consumer: 'billing', cause: "500 TypeError: Cannot read 'id' webhooks.js:#", attempts: 34 },
    first_seen_at: new Date('2026-11-21T15:22:07.000Z'),
    last_seen_at: new Date('2026-11-21T15:23:12.000Z'),
    example_event_id: eventId,
    dashboardUrl: `https://hooks.example.com/dashboard/incidents/${incidentId}`,
    ...changes,
  };
}

/** The notice of incidents. */
export function incidents(...some: Partial<ToldIncident>[]): IncidentNotice {
  const told = (some.length > 0 ? some : [{}]).map(incident);
  const list = 'https://hooks.example.com/dashboard/incidents';
  return {
    ...{ kind: 'incidents', id: 'm1', incidents: told },
    dashboardUrl: told.length === 1 ? incident().dashboardUrl : list,
  };
}

const repeated = (text: string) => text.repeat(Math.ceil(10_000 / text.length)).slice(0, 10_000);

/** Values of 10,000 UTF-16 units that are difficult for limits and escapes, and empty values. */
export const hardValues: [name: string, value: string][] = [
  ['ASCII', repeated('abcdefghij')],
  ['4-byte characters', repeated('😀')],
  ['less-than signs', repeated('<')],
  ['ampersands', repeated('&')],
  ['Markdown', repeated('*_`~|')],
  ['mentions and links', repeated('@everyone <!channel> <@U123> [x](http://evil) ')],
  ['backslashes', repeated('\\')],
  ['line ends', repeated('- a\r\n1. b\n')],
  ['control characters', repeated('\u0000\u0007\u001B[31m\u007F\u0085\u202E')],
  ['lone surrogates', repeated('\uD83D \uDE00')],
  ['nothing', ''],
  ['white space', ' \t\r\n '],
];

const longestConsumer = 'c'.repeat(40);

/**
 * Notices of a failure, a summary, one incident and many incidents, of the consumer with the longest name, with this value
 * in every field that comes from outside.
 */
export function noticesWith(value: string): [FailureNotice, SummaryNotice, IncidentNotice, IncidentNotice] {
  const ofEvent = { event_type: value, account_slug: value, provider: value, id: value, consumer: longestConsumer };
  const one = listed({ event_type: value, consumer: longestConsumer, error: value });
  const told = { provider: value, account_slug: value, consumer: longestConsumer, cause: value };
  return [
    failure({ error: value, payload: { body: utf8(value), contentType: value } }, ofEvent),
    summary({ account: { provider: value, account_slug: value, app_key: value }, first: Array(60).fill(one) }),
    incidents(told),
    incidents(...Array(60).fill(told)),
  ];
}

/** Characters that messages replace: control characters except tabs and line breaks, and direction overrides. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
export const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

/** Every string in a value, however deep. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).flatMap(stringsIn);
}
