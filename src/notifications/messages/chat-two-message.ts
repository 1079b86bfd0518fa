import type { FailureNotice, Notice, SummaryNotice } from '../notice.ts';
import { escapedWithin, plainUrl } from './text.ts';
import {
  errorText,
  facts,
  headline,
  introduction,
  maxShown,
  openEvent,
  openList,
  summaryText,
  title,
  typeName,
} from './words.ts';

// Discord's documentation, "Execute Webhook" and "Embed Limits". Titles and labels are words of ours and far from theirs.
const maxContent = 2000;
const maxFieldName = 256;
const maxFieldValue = 1024;
/** Of title, description and the fields' names and values, over all embeds of a message. */
const maxEmbeds = 6000;

/** Short values, so that all of them, the longest error and the longest link stay under `maxEmbeds`. */
const maxFact = 300;
const maxSummary = 1000;
const maxListedError = 300;
/** A URL of an embed has 2048 characters at most. */
const maxUrl = 2000;
/** The link of an entry and its error share a field. */
const maxListedUrl = 600;

const red = 0xd92d20;
const blue = 0x2563eb;

interface Field {
  name: string;
  value: string;
  inline: boolean;
}

interface Embed {
  title: string;
  url?: string;
  description: string;
  color: number;
  timestamp: string;
  fields: Field[];
}

/** The body of Discord's "Execute Webhook". */
export interface ChatTwoMessage {
  content: string;
  embeds: [Embed];
  /** Nobody is mentioned, whatever the texts hold. */
  allowed_mentions: { parse: [] };
}

/** What a Discord channel is told; Markdown in values of an event is escaped. */
export function chatTwoMessage(notice: Notice): ChatTwoMessage {
  return {
    content: escapedWithin(headline(notice), maxContent, escapeMarkdown),
    embeds: [notice.kind === 'summary' ? summaryEmbed(notice) : failureEmbed(notice)],
    allowed_mentions: { parse: [] },
  };
}

function failureEmbed(notice: FailureNotice): Embed {
  const fields = facts(notice).map(([name, value]): Field => {
    return { name, value: escapedWithin(value, maxFact, escapeMarkdown), inline: true };
  });
  const error = escapedWithin(errorText(notice.error), maxFieldValue, escapeMarkdown);
  return {
    ...headOf(notice, `${introduction(notice)}${linkLine(notice.dashboardUrl, openEvent, maxUrl)}`),
    color: notice.sample ? blue : red,
    timestamp: notice.failedAt.toISOString(),
    fields: [...fields, { name: 'Error', value: error, inline: false }],
  };
}

function summaryEmbed(notice: SummaryNotice): Embed {
  const text = escapedWithin(summaryText(notice), maxSummary, escapeMarkdown);
  const embed: Embed = {
    ...headOf(notice, `${text}${linkLine(notice.dashboardUrl, openList, maxUrl)}`),
    color: red,
    timestamp: notice.until.toISOString(),
    fields: [],
  };
  let length = embed.title.length + embed.description.length;
  for (const { event_type, error, dashboardUrl } of notice.first.slice(0, maxShown)) {
    const name = escapedWithin(typeName(event_type), maxFieldName, escapeMarkdown);
    const reason = escapedWithin(errorText(error), maxListedError, escapeMarkdown);
    const value = `${reason}${linkLine(dashboardUrl, openEvent, maxListedUrl)}`;
    length += name.length + value.length;
    // The list in the dashboard has the rest.
    if (length > maxEmbeds) break;
    embed.fields.push({ name, value, inline: false });
  }
  return embed;
}

function headOf(notice: Notice, description: string) {
  const url = plainUrl(notice.dashboardUrl);
  return { title: title(notice), ...(isEmbedUrl(url) && { url }), description };
}

/**
 * Whether Discord takes a URL as an embed's: it answers 400 to the whole message when the host is a name without a dot
 * (`http://gateway:8080`), and says nowhere what it thinks of addresses. The description has the link in any case.
 */
function isEmbedUrl(url: string): boolean {
  if (url.length > maxUrl || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) && /\.[a-z][a-z0-9-]+$/i.test(hostname);
}

/** Words of ours as a link: inside of links Discord shows backslashes, so nothing there may need escaping. */
function linkLine(url: string, words: string, maxLength: number): string {
  const plain = plainUrl(url);
  return plain.length <= maxLength ? `\n[${words}](${plain})` : '';
}

/**
 * A backslash before what Discord formats, links, mentions or shows as an emoji; at the start of a line also before what
 * makes a list.
 */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~`|<>#[\]@]|:(?=\S)/g, '\\$&')
    .replace(/^([^\S\n]*)([-+])/gm, '$1\\$2')
    .replace(/^([^\S\n]*\d+)\./gm, '$1\\.');
}
