import type { FailureNotice, Notice, SummaryNotice } from '../notice.ts';
import { cut, escapedWithin, plainUrl } from './text.ts';
import * as words from './words.ts';

/** Slack's reference of the section block: 3000 characters of text, fields of 2000 each (ten at most). */
const maxSection = 3000;
const maxField = 2000;
/** Slack truncates a message's text at 40,000 characters and recommends at most 4,000. Previews show far less. */
const maxText = 3000;
/** Characters of a name or an error in a preview or a list. */
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
  return {
    text: escapedWithin(preview(notice), maxText, inert),
    mrkdwn: false,
    // The title is a fixed text of the gateway, far below the header's limit of 150 characters.
    blocks: [{ type: 'header', text: plain(words.title(notice)) }, ...blocksOf(notice)],
  };
}

const blocksOf = (notice: Notice) => (notice.kind === 'summary' ? summaryBlocks(notice) : failureBlocks(notice));

function failureBlocks(notice: FailureNotice): Block[] {
  const rows = words.facts(notice).map(([label, value]) => [markdown(`*${label}*`), plain(cut(value, maxField))]);
  return [
    { type: 'section', text: markdown(words.introduction(notice)) },
    // Slack shows fields in two columns: labels on the left, values on the right.
    { type: 'section', fields: rows.slice(0, 3).flat() },
    { type: 'section', fields: rows.slice(3).flat() },
    { type: 'section', text: markdown('*Error*') },
    { type: 'section', text: plain(cut(words.errorText(notice.error), maxSection)) },
    ...linkBlock(notice.dashboardUrl, words.openEvent),
  ];
}

/** At most 14 blocks; a message may have 50. */
function summaryBlocks(notice: SummaryNotice): Block[] {
  return [
    { type: 'section', text: plain(cut(words.summaryText(notice), maxSection)) },
    { type: 'divider' },
    ...notice.first.slice(0, words.maxShown).map(({ error, dashboardUrl, ...event }): Block => {
      const named = `${cut(words.eventName(event), maxNamed)}: ${cut(words.errorText(error), maxListedError)}`;
      const link = linkTo(dashboardUrl, words.openEvent);
      return { type: 'section', text: plain(named), ...(link && { fields: [link] }) };
    }),
    ...linkBlock(notice.dashboardUrl, words.openList),
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

function linkBlock(url: string, label: string): Block[] {
  const link = linkTo(url, label);
  return link ? [{ type: 'section', text: link }] : [];
}

function preview(notice: Notice): string {
  if (notice.kind === 'summary') return cut(words.summaryText(notice), maxText);
  return `${cut(words.headline(notice), maxNamed)}: ${cut(words.errorText(notice.error).replace(/\s+/g, ' '), maxListedError)}`;
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
