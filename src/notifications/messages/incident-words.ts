import { defaultConsumer } from '../../events/event.ts';
import type { IncidentNotice, ToldIncident } from '../notice.ts';
import { cut, oneLine, utc } from './text.ts';

/** UTF-16 units of names and causes in a headline. */
const maxInHeadline = 80;
/** UTF-16 units of stored names; see words.ts. */
const maxName = 512;

type Change = 'opened' | 'still open' | 'resolved';
const changes: readonly Change[] = ['opened', 'still open', 'resolved'];

function changeOf({ type, reminder }: ToldIncident): Change {
  if (type === 'incident.resolved') return 'resolved';
  return reminder ? 'still open' : 'opened';
}

const named = (name: string) => cut(oneLine(name), maxName) || 'none';

/** The only incident of a message; null when it is about several. */
export const onlyOne = ({ incidents: [first, ...others] }: IncidentNotice): ToldIncident | null =>
  first && others.length === 0 ? first : null;

/** `10 opened, 2 resolved`. */
function countsOf({ incidents }: IncidentNotice): string {
  const counts = changes.map((change) => [change, incidents.filter((one) => changeOf(one) === change).length] as const);
  const some = counts.filter(([, count]) => count > 0);
  return some.map(([change, count]) => `${count} ${change}`).join(', ');
}

/** The title of a message about incidents. It contains no values from outside. */
export function incidentTitle(notice: IncidentNotice): string {
  const one = onlyOne(notice);
  if (one) return `Incident ${changeOf(one)}`;
  const kinds = new Set(notice.incidents.map(changeOf));
  const [kind] = kinds;
  const count = notice.incidents.length;
  return kinds.size === 1 ? `${count} incidents ${kind}` : `${count} incidents: ${countsOf(notice)}`;
}

/** The account of an incident, with its consumer unless that is `default`. */
function whereOf({ account_slug, consumer }: ToldIncident, maxLength = maxName): string {
  const whose = consumer === null || consumer === defaultConsumer ? '' : `, ${oneLine(consumer)}`;
  return cut(oneLine(account_slug) || 'none', maxLength - whose.length) + whose;
}

/** What is wrong, on one line. */
const causeOf = ({ kind, cause }: ToldIncident) =>
  `${kind === 'rejections' ? 'webhooks rejected: ' : ''}${oneLine(cause) || 'no cause'}`;

/** Whose incidents they are, in few words. */
function accountsOf({ incidents }: IncidentNotice, maxLength: number): string {
  const accounts = new Set(incidents.map(({ account_id }) => account_id));
  const slug = incidents[0]?.account_slug ?? '';
  return accounts.size === 1 ? cut(oneLine(slug) || 'none', maxLength) : `${accounts.size} accounts`;
}

/** The title with account, consumer and cause, on one line of less than 200 UTF-16 units. */
export function incidentHeadline(notice: IncidentNotice): string {
  const one = onlyOne(notice);
  if (!one) return `${incidentTitle(notice)} (${accountsOf(notice, maxInHeadline)})`;
  return `${incidentTitle(notice)}: ${whereOf(one, maxInHeadline)}: ${cut(causeOf(one), maxInHeadline)}`;
}

/** The first sentences of a message about one incident. They contain no values from outside. */
export function incidentIntroduction(incident: ToldIncident): string {
  const isDelivery = incident.kind === 'delivery';
  switch (changeOf(incident)) {
    case 'opened':
      return isDelivery ? 'Deliveries to this consumer fail.' : 'Most webhooks of this account are rejected.';
    case 'still open':
      return `${isDelivery ? 'Deliveries to this consumer fail' : 'Webhooks of this account were rejected'}. The incident is still open and is not acknowledged.`;
    default:
      return isDelivery
        ? 'Deliveries succeed again, a person has closed the incident, or the consumer was deleted. Events whose attempts are exhausted can be replayed from the dashboard.'
        : 'Webhooks are accepted again, or a person has closed the incident.';
  }
}

/** The facts about an incident, except its cause; no value is empty. */
export function incidentFacts(incident: ToldIncident): [label: string, value: string][] {
  const { provider, account_slug, consumer, kind, attempts, first_seen_at, last_seen_at, at, type } = incident;
  const isNamed = consumer !== null && consumer !== defaultConsumer;
  return [
    ['Provider', named(provider)],
    ['Account', named(account_slug)],
    ...(isNamed ? [['Consumer', named(consumer)] satisfies [string, string]] : []),
    ['Since', utc(first_seen_at)],
    ['Last seen', utc(last_seen_at)],
    ...(type === 'incident.resolved' ? [['Resolved at', utc(at)] satisfies [string, string]] : []),
    [kind === 'delivery' ? 'Failed' : 'Rejected', `${attempts} ${kind === 'delivery' ? 'attempts' : 'webhooks'}`],
  ];
}

/** What is wrong, as a message about one incident shows it below its facts. */
export const incidentCause = ({ cause }: ToldIncident) => oneLine(cause) || 'no cause';

/** The first sentences of a message about several incidents. */
export function incidentsText(notice: IncidentNotice, maxShown: number): string {
  const { incidents } = notice;
  const some = incidents.length > maxShown ? ` Here are the first ${maxShown} of them.` : '';
  return `${incidents.length} incidents of ${accountsOf(notice, maxName)}: ${countsOf(notice)}.${some}`;
}

/** One of several incidents: where it is, and what is wrong. */
export const incidentEntry = (incident: ToldIncident) => ({
  name: whereOf(incident),
  error: `${changeOf(incident)}: ${causeOf(incident)}`,
  url: incident.dashboardUrl,
});

/** The footer that tells a recipient why they got the e-mail. */
export function reasonForIncidents(notice: IncidentNotice): string {
  const [first, ...others] = notice.incidents;
  const isOne = others.every(({ account_id }) => account_id === first?.account_id);
  return first && isOne
    ? `You get this because your address is in a destination of the account ${named(first.account_slug)} (${named(first.provider)}).`
    : `You get this because your address is in destinations of ${accountsOf(notice, maxName)}.`;
}
