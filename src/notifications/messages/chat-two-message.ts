import type { Notice } from '../notice.ts';
import { type Details, type List, type Parts, partsOf } from './parts.ts';
import { escapedWithin, plainUrl } from './text.ts';
import { headline } from './words.ts';

// Limits from Discord's documentation, "Execute Webhook" and "Embed Limits". Titles and labels are fixed and far below.
const maxContent = 2000;
const maxFieldName = 256;
const maxFieldValue = 1024;
/** The total of titles, descriptions, field names and field values over all embeds of a message. */
const maxEmbeds = 6000;

/** Values are cut so that all values, the longest error and the longest link together stay below `maxEmbeds`. */
const maxFact = 300;
const maxSummary = 1000;
const maxListedError = 300;
/** A URL of an embed has 2048 characters at most. */
const maxUrl = 2000;
/** The link of an entry and its error share a field. */
const maxListedUrl = 600;

const colours: Record<Parts['tone'], number> = { failure: 0xd92d20, sample: 0x2563eb, resolved: 0x067647 };

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
  /** No user or role is mentioned, even if a text contains a mention. */
  allowed_mentions: { parse: [] };
}

/** The message for a Discord channel. Markdown in an event's values is escaped. */
export function chatTwoMessage(notice: Notice): ChatTwoMessage {
  const parts = partsOf(notice);
  return {
    content: escapedWithin(headline(notice), maxContent, escapeMarkdown),
    embeds: [parts.form === 'list' ? listEmbed(parts) : detailEmbed(parts)],
    allowed_mentions: { parse: [] },
  };
}

function detailEmbed(parts: Parts & Details): Embed {
  const fields = parts.facts.map(([name, value]): Field => {
    return { name, value: escapedWithin(value, maxFact, escapeMarkdown), inline: true };
  });
  const error = escapedWithin(parts.error.text, maxFieldValue, escapeMarkdown);
  return {
    ...headOf(parts, parts.introduction),
    fields: [...fields, { name: parts.error.label, value: error, inline: false }],
  };
}

function listEmbed(parts: Parts & List): Embed {
  const embed: Embed = { ...headOf(parts, escapedWithin(parts.text, maxSummary, escapeMarkdown)), fields: [] };
  let length = embed.title.length + embed.description.length;
  for (const entry of parts.entries) {
    const name = escapedWithin(entry.name, maxFieldName, escapeMarkdown);
    const reason = escapedWithin(entry.error, maxListedError, escapeMarkdown);
    const value = `${reason}${linkLine(entry.url, parts.openEntry, maxListedUrl)}`;
    length += name.length + value.length;
    // The dashboard's list shows all of them.
    if (length > maxEmbeds) break;
    embed.fields.push({ name, value, inline: false });
  }
  return embed;
}

function headOf({ title, link, tone, at }: Parts, text: string) {
  const url = plainUrl(link.url);
  return {
    title,
    ...(isEmbedUrl(url) && { url }),
    description: `${text}${linkLine(link.url, link.words, maxUrl)}`,
    color: colours[tone],
    timestamp: at.toISOString(),
  };
}

/**
 * Whether Discord accepts this URL in an embed. It refuses the whole message with 400 when the host is a name without a
 * dot (`http://gateway:8080`). Its documentation does not cover IP addresses. The description contains the link in any
 * case.
 */
function isEmbedUrl(url: string): boolean {
  if (url.length > maxUrl || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) && /\.[a-z][a-z0-9-]+$/i.test(hostname);
}

/** A link with a fixed label. Discord shows backslashes inside links, so the label must not need escaping. */
function linkLine(url: string, label: string, maxLength: number): string {
  const plain = plainUrl(url);
  return plain.length <= maxLength ? `\n[${label}](${plain})` : '';
}

/**
 * Adds a backslash before characters with which Discord formats, links, mentions or shows emojis, and at the start of a
 * line also before list markers.
 */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~`|<>#[\]@]|:(?=\S)/g, '\\$&')
    .replace(/^([^\S\n]*)([-+])/gm, '$1\\$2')
    .replace(/^([^\S\n]*\d+)\./gm, '$1\\.');
}
