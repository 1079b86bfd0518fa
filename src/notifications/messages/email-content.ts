import type { Notice } from '../notice.ts';
import { type PayloadPart, payloadPart } from './email-payload.ts';
import { type Details, type Parts, partsOf } from './parts.ts';
import { cut, oneLine, plainUrl } from './text.ts';
import { reasonForMail } from './words.ts';

/** Errors may contain long responses of consumers. The dashboard shows the whole text. */
const maxError = 4000;
const maxListedError = 500;

/** The content of an e-mail, for plain text and HTML. Texts have one line, except `error` and `payload.shown`. */
export interface EmailContent {
  tone: Parts['tone'];
  title: string;
  introduction: string;
  facts: [label: string, value: string][];
  error: Details['error'] | null;
  /** The first events or incidents of several. */
  entries: { name: string; error: string; url: string }[];
  link: { words: string; url: string };
  payload: PayloadPart | null;
  footer: string;
}

/** The content of the e-mail for a notice. */
export function emailContent(notice: Notice, includePayload: boolean): EmailContent {
  const parts = partsOf(notice);
  const { tone, title, link } = parts;
  const common = { tone, title, link: { ...link, url: plainUrl(link.url) }, footer: reasonForMail(notice) };
  if (parts.form === 'list') {
    return {
      ...common,
      introduction: parts.text,
      ...{ facts: [], error: null, payload: null },
      entries: parts.entries.map(({ name, error, url }) => ({
        ...{ name, error: cut(oneLine(error), maxListedError), url: plainUrl(url) },
      })),
    };
  }
  const payload = notice.kind === 'delivery_failed' && includePayload ? notice.payload : null;
  return {
    ...common,
    introduction: parts.introduction,
    facts: parts.facts,
    error: { ...parts.error, text: cut(parts.error.text, maxError) },
    entries: [],
    payload: payload && payloadPart(payload),
  };
}
