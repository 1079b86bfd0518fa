import type { Notice } from '../notice.ts';
import { type PayloadPart, payloadPart } from './email-payload.ts';
import { cut, oneLine, plainUrl } from './text.ts';
import * as words from './words.ts';

/** Errors may contain long responses of consumers. The dashboard shows the whole text. */
const maxError = 4000;
const maxListedError = 500;

/** The content of an e-mail, for plain text and HTML. Texts have one line, except `error` and `payload.shown`. */
export interface EmailContent {
  tone: 'failure' | 'sample';
  title: string;
  introduction: string;
  facts: [label: string, value: string][];
  error: string | null;
  /** The first events of a summary. */
  entries: { name: string; error: string; url: string }[];
  link: { words: string; url: string };
  payload: PayloadPart | null;
  footer: string;
}

/** The content of the e-mail for a notice. */
export function emailContent(notice: Notice, includePayload: boolean): EmailContent {
  const common = { title: words.title(notice), footer: words.reasonForMail(notice) };
  if (notice.kind === 'summary') {
    return {
      ...common,
      tone: 'failure',
      introduction: words.summaryText(notice),
      facts: [],
      error: null,
      entries: notice.first.slice(0, words.maxShown).map(({ error, dashboardUrl, ...event }) => ({
        name: words.eventName(event),
        error: cut(oneLine(words.errorText(error)), maxListedError),
        url: plainUrl(dashboardUrl),
      })),
      link: { words: words.openList, url: plainUrl(notice.dashboardUrl) },
      payload: null,
    };
  }
  return {
    ...common,
    tone: notice.sample ? 'sample' : 'failure',
    introduction: words.introduction(notice),
    facts: words.facts(notice),
    error: cut(words.errorText(notice.error), maxError),
    entries: [],
    link: { words: words.openEvent, url: plainUrl(notice.dashboardUrl) },
    payload: includePayload && notice.payload ? payloadPart(notice.payload) : null,
  };
}
