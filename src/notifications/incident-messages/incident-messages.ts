import type { Database } from '../../database/database.ts';
import type { Log } from '../../shared/log.ts';
import { Poller } from '../../shared/poller.ts';
import type { DashboardLinks } from '../links.ts';
import type { IncidentNotice } from '../notice.ts';
import { DueMessages } from '../sending/due-messages.ts';
import type { NotifierDeps } from '../sending/notifier.ts';
import { outcomesIn } from '../sending/outcomes.ts';
import { type ClaimedMessage, claimMessages, type MessageLimits } from './claim-messages.ts';
import type { PlaceOf } from './place.ts';
import { remindOfIncidents } from './reminders.ts';

/** The longest time by which a reminder is late. */
const longestRemindingMs = 60_000;

interface IncidentMessagesDeps extends Omit<NotifierDeps, 'sql'> {
  sql: Database;
  limits: MessageLimits;
}

/** Sends the messages about incidents when they are due. */
export function createIncidentMessages(deps: IncidentMessagesDeps) {
  const { sql, waitsMs, leaseS, limits, links } = deps;
  return new DueMessages<ClaimedMessage>(deps, {
    ...{ poller: 'messages about incidents', noun: 'message about incidents', idField: 'incidentMessageId' },
    ...outcomesIn(sql, 'incident_messages'),
    claim: (most, webhooks) => claimMessages(sql, { tries: waitsMs.length + 1, leaseS, limits, most, webhooks }),
    since: ({ incidents }) => incidents.at(-1)?.at ?? new Date(),
    notice: async (message) => noticeOf(message, links),
  });
}

/** Adds the reminders of incidents that stay open. @param options.everyMs see `defaultReminderMs` */
export const createReminders = (options: { sql: Database; log: Log; placeOf: PlaceOf; everyMs: number }): Poller => {
  const { sql, log, placeOf, everyMs } = options;
  return new Poller({
    name: 'reminders of incidents',
    idleMs: Math.min(longestRemindingMs, everyMs / 4),
    log,
    work: async () => {
      await remindOfIncidents(sql, { everyMs, placeOf });
      return 'idle';
    },
  });
};

function noticeOf({ id, incidents }: ClaimedMessage, links: DashboardLinks): IncidentNotice {
  const told = incidents.map((incident) => ({ ...incident, dashboardUrl: links.incident(incident.id) }));
  const [first, ...others] = told;
  return {
    ...{ kind: 'incidents', id, incidents: told },
    dashboardUrl: first && others.length === 0 ? first.dashboardUrl : links.incidents(),
  };
}
