import { defaultConsumer, type EventRow } from '../../events/event.ts';
import type { FailureNotice, Notice, SummaryNotice } from '../notice.ts';
import { incidentHeadline, incidentTitle, reasonForIncidents } from './incident-words.ts';
import { cut, oneLine, utc, visible } from './text.ts';

/** The most entries of a summary that a message shows. The dashboard shows all of them. */
export const maxShown = 10;

/** UTF-16 units. Stored names have at most 255 characters of at most two units, so none of them is cut. */
const maxName = 512;

/** A name on one line. */
const named = (name: string) => cut(oneLine(name), maxName);

const typeName = (eventType: string | null) => named(eventType ?? '') || 'no type';

/** An event of a summary: its type, and its consumer if the account has others besides `default`. */
export const eventName = ({ event_type, consumer }: Pick<EventRow, 'event_type' | 'consumer'>) =>
  consumer === defaultConsumer ? typeName(event_type) : `${typeName(event_type)} for ${named(consumer)}`;

/** An error's text, which may have several lines. */
export const errorText = (error: string) => visible(error).trim() || 'no error message';

/** The title of a message. It contains no values from outside. */
export function title(notice: Notice): string {
  if (notice.kind === 'incidents') return incidentTitle(notice);
  if (notice.kind === 'summary')
    return notice.events === 1 ? '1 more event exhausted' : `${notice.events} more events exhausted`;
  return notice.sample ? 'Test: nothing has failed' : 'Delivery failed';
}

/** UTF-16 units of an event type or an account in a headline. */
const maxInHeadline = 80;

/** The title with what it is about, the account and its consumer unless it is `default`, on one line of less than 200 UTF-16 units. */
export function headline(notice: Notice): string {
  if (notice.kind === 'incidents') return incidentHeadline(notice);
  if (notice.kind === 'summary')
    return `${title(notice)} (${cut(oneLine(notice.account.account_slug), maxInHeadline)})`;
  const { account_slug, consumer } = notice.event;
  const whose = consumer === defaultConsumer ? '' : `, ${oneLine(consumer)}`;
  const account = cut(oneLine(account_slug), maxInHeadline - whose.length) + whose;
  const type = cut(typeName(notice.event.event_type), maxInHeadline);
  return notice.sample ? `[Test] Nothing has failed: ${type} (${account})` : `${title(notice)}: ${type} (${account})`;
}

/** The first sentences of a message about one event. They contain no values from outside. */
export function introduction({ sample }: FailureNotice): string {
  return sample
    ? 'This is a test of this destination. Nothing has failed: the values below are an example of what a real message shows.'
    : 'This event is exhausted: it could not be delivered, and no further attempts will be made. It can be replayed from the dashboard.';
}

/** The first sentences of a summary, with the account's names. */
export function summaryText({ account, events, since, until, first }: SummaryNotice): string {
  const whose = `${named(account.account_slug)} (${named(account.provider)})`;
  const when = since.getTime() === until.getTime() ? `at ${utc(since)}` : `between ${utc(since)} and ${utc(until)}`;
  const some = first.length > 0 && first.length < events ? ' Here are the first of them.' : '';
  return `${events} more ${events === 1 ? 'event' : 'events'} of ${whose} ${events === 1 ? 'was' : 'were'} exhausted ${when}.${some}`;
}

/** The facts about a failed event (R25), except its error; no value is empty. */
export function facts({ event, attempts, failedAt, sample }: FailureNotice): [label: string, value: string][] {
  const rows: [string, string][] = [
    ['Event type', typeName(event.event_type)],
    ['Provider', named(event.provider)],
    ['Account', named(event.account_slug)],
    ...(event.consumer === defaultConsumer ? [] : [['Consumer', named(event.consumer)] satisfies [string, string]]),
    ['Event id', named(event.id)],
    [sample ? 'Time' : 'Failed at', utc(failedAt)],
    ['Attempts', String(attempts)],
  ];
  return rows.map(([label, value]) => [label, value || 'none']);
}

export const openEvent = 'Open the event in the dashboard';
export const openList = 'Open the list in the dashboard';
export const openIncident = 'Open the incident in the dashboard';
export const openIncidents = 'Open the incidents in the dashboard';

/** The footer that tells a recipient why they got the e-mail. */
export function reasonForMail(notice: Notice): string {
  if (notice.kind === 'incidents') return reasonForIncidents(notice);
  const { account_slug, provider } = notice.kind === 'summary' ? notice.account : notice.event;
  return `You get this because your address is in a destination of the account ${named(account_slug)} (${named(provider)}).`;
}
