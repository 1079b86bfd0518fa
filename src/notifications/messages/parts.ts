import type { FailureNotice, IncidentNotice, Notice, SummaryNotice, ToldIncident } from '../notice.ts';
import * as incidents from './incident-words.ts';
import { cut } from './text.ts';
import * as words from './words.ts';

/** UTF-16 units of a headline and of an error in a preview. */
const maxNamed = 200;
const maxPreviewedError = 500;

/** What a message says, before a channel cuts and formats it. */
export type Parts = (Details | List) & {
  tone: 'failure' | 'sample' | 'resolved';
  /** The title, without values from outside. */
  title: string;
  /** Stands in for the message where little is shown. */
  preview: string;
  link: { words: string; url: string };
  /** When it happened. */
  at: Date;
};

/** About one event or incident. */
export interface Details {
  form: 'details';
  /** Without values from outside. */
  introduction: string;
  facts: [label: string, value: string][];
  error: { label: 'Error' | 'Cause'; text: string };
}

/** About several events or incidents. */
export interface List {
  form: 'list';
  text: string;
  entries: { name: string; error: string; url: string }[];
  /** The words of the link of an entry. */
  openEntry: string;
}

export function partsOf(notice: Notice): Parts {
  const title = words.title(notice);
  switch (notice.kind) {
    case 'delivery_failed':
      return { title, ...partsOfFailure(notice) };
    case 'summary':
      return { title, ...partsOfSummary(notice) };
    case 'incidents': {
      const one = incidents.onlyOne(notice);
      return { title, ...(one ? partsOfIncident(notice, one) : partsOfIncidents(notice)) };
    }
    default:
      return notice satisfies never;
  }
}

function partsOfFailure(notice: FailureNotice): Omit<Parts & Details, 'title'> {
  const error = words.errorText(notice.error);
  return {
    form: 'details',
    tone: notice.sample ? 'sample' : 'failure',
    preview: `${cut(words.headline(notice), maxNamed)}: ${cut(error.replace(/\s+/g, ' '), maxPreviewedError)}`,
    introduction: words.introduction(notice),
    facts: words.facts(notice),
    error: { label: 'Error', text: error },
    link: { words: words.openEvent, url: notice.dashboardUrl },
    at: notice.failedAt,
  };
}

function partsOfSummary(notice: SummaryNotice): Omit<Parts & List, 'title'> {
  const text = words.summaryText(notice);
  return {
    form: 'list',
    tone: 'failure',
    preview: text,
    text,
    entries: notice.first.slice(0, words.maxShown).map(({ error, dashboardUrl: url, ...event }) => ({
      ...{ name: words.eventName(event), error: words.errorText(error), url },
    })),
    openEntry: words.openEvent,
    link: { words: words.openList, url: notice.dashboardUrl },
    at: notice.until,
  };
}

const toneOf = (told: readonly ToldIncident[]) =>
  told.every(({ type }) => type === 'incident.resolved') ? ('resolved' as const) : ('failure' as const);

function partsOfIncident(notice: IncidentNotice, incident: ToldIncident): Omit<Parts & Details, 'title'> {
  return {
    form: 'details',
    tone: toneOf(notice.incidents),
    preview: incidents.incidentHeadline(notice),
    introduction: incidents.incidentIntroduction(incident),
    facts: incidents.incidentFacts(incident),
    error: { label: 'Cause', text: incidents.incidentCause(incident) },
    link: { words: words.openIncident, url: notice.dashboardUrl },
    at: incident.at,
  };
}

function partsOfIncidents(notice: IncidentNotice): Omit<Parts & List, 'title'> {
  const text = incidents.incidentsText(notice, words.maxShown);
  return {
    form: 'list',
    tone: toneOf(notice.incidents),
    preview: text,
    text,
    entries: notice.incidents.slice(0, words.maxShown).map(incidents.incidentEntry),
    openEntry: words.openIncident,
    link: { words: words.openIncidents, url: notice.dashboardUrl },
    at: notice.incidents.reduce((latest, { at }) => (at > latest ? at : latest), new Date(0)),
  };
}
