import type { Notice } from '../notice.ts';
import { type Details, type List, type Parts, partsOf } from './parts.ts';
import { cut, escapedWithin, plainUrl } from './text.ts';

/** Slack's reference of the section block: 3000 characters of text, fields of 2000 each (ten at most). */
const maxSection = 3000;
const maxField = 2000;
/** Slack truncates a message's text at 40,000 characters and recommends at most 4,000. Previews show far less. */
const maxText = 3000;
/** Characters of a name or an error in a list. */
const maxNamed = 200;
const maxListedError = 500;

type PlainText = { type: 'plain_text'; text: string; emoji: false };
type Markdown = { type: 'mrkdwn'; text: string; verbatim: true };
type Text = PlainText | Markdown;
type Block =
  | { type: 'header'; text: PlainText }
  | { type: 'section'; text: Text; fields?: Text[] }
  | { type: 'section'; fields: Text[] }
  | { type: 'divider' };

/** The body of Slack's incoming webhooks. */
export interface ChatOneMessage {
  /** Stands in for the blocks in previews and for screen readers. */
  text: string;
  /** No formatting in `text`. Each block states its own type. */
  mrkdwn: false;
  blocks: Block[];
}

/**
 * The message for a Slack channel. Values of an event are in `plain_text` objects, in which Slack does not format, link
 * or mention. `mrkdwn` contains only the gateway's own words and links.
 */
export function chatOneMessage(notice: Notice): ChatOneMessage {
  const parts = partsOf(notice);
  return {
    text: escapedWithin(cut(parts.preview, maxText), maxText, inert),
    mrkdwn: false,
    // The title is a text of the gateway, far below the header's limit of 150 characters.
    blocks: [{ type: 'header', text: plain(parts.title) }, ...blocksOf(parts), ...linkBlock(parts.link)],
  };
}

const blocksOf = (parts: Parts) => (parts.form === 'list' ? listBlocks(parts) : detailBlocks(parts));

function detailBlocks({ introduction, facts, error }: Details): Block[] {
  const rows = facts.map(([label, value]) => [markdown(`*${label}*`), plain(cut(value, maxField))]);
  return [
    { type: 'section', text: markdown(introduction) },
    // Slack shows fields in two columns: labels on the left, values on the right.
    { type: 'section', fields: rows.slice(0, 3).flat() },
    { type: 'section', fields: rows.slice(3).flat() },
    { type: 'section', text: markdown(`*${error.label}*`) },
    { type: 'section', text: plain(cut(error.text, maxSection)) },
  ];
}

/** At most 13 blocks; a message may have 50. */
function listBlocks({ text, entries, openEntry }: List): Block[] {
  return [
    { type: 'section', text: plain(cut(text, maxSection)) },
    { type: 'divider' },
    ...entries.map(({ name, error, url }): Block => {
      const named = `${cut(name, maxNamed)}: ${cut(error, maxListedError)}`;
      const link = linkTo(url, openEntry);
      return { type: 'section', text: plain(named), ...(link && { fields: [link] }) };
    }),
  ];
}

const plain = (text: string): PlainText => ({ type: 'plain_text', text, emoji: false });
/** `verbatim`: Slack adds no links or mentions of its own. */
const markdown = (text: string): Markdown => ({ type: 'mrkdwn', text, verbatim: true });

/** A link; null when the URL is too long for a message. */
function linkTo(url: string, label: string): Markdown | null {
  // A `|` would end the URL; `plainUrl` encodes it.
  const link = `<${escapeText(plainUrl(url))}|${label}>`;
  return link.length <= maxField ? markdown(link) : null;
}

function linkBlock({ url, words }: Parts['link']): Block[] {
  const link = linkTo(url, words);
  return link ? [{ type: 'section', text: link }] : [];
}

/** Escapes as in Slack's "Formatting text for app surfaces", "Escaping text". */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Escapes text for places where Slack always detects formatting, names and links and offers no escape. An invisible
 * word joiner (U+2060) after a special character removes its meaning.
 */
function inert(text: string): string {
  return escapeText(text.replace(/[*_~`@#]|:(?=\S)/g, '$&\u2060'));
}
