import type { FailureNotice, Notice, SummaryNotice } from '../notice.ts';
import { cut, escapedWithin, plainUrl } from './text.ts';
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

/** Slack's reference of the section block: 3000 characters of text, fields of 2000 each (ten at most). */
const maxSection = 3000;
const maxField = 2000;
/** Slack cuts a message's own text at 40,000 characters and advises 4,000; previews show far less. */
const maxText = 3000;
/** In a preview and in a list, the rest of a long text is not read. */
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
  /** No formatting in `text`. The blocks say for themselves what they are. */
  mrkdwn: false;
  blocks: Block[];
}

/**
 * What a Slack channel is told. Values of an event stand in `plain_text` objects, in which Slack formats, links and
 * mentions nothing; `mrkdwn` is for words of ours and the links alone.
 */
export function chatOneMessage(notice: Notice): ChatOneMessage {
  return {
    text: escapedWithin(preview(notice), maxText, inert),
    mrkdwn: false,
    // The header's limit of 150 characters is far: its words are ours.
    blocks: [{ type: 'header', text: plain(title(notice)) }, ...blocksOf(notice)],
  };
}

const blocksOf = (notice: Notice) => (notice.kind === 'summary' ? summaryBlocks(notice) : failureBlocks(notice));

function failureBlocks(notice: FailureNotice): Block[] {
  const rows = facts(notice).map(([label, value]) => [markdown(`*${label}*`), plain(cut(value, maxField))]);
  return [
    { type: 'section', text: markdown(introduction(notice)) },
    // Slack sets fields in two columns: labels on the left, values on the right.
    { type: 'section', fields: rows.slice(0, 3).flat() },
    { type: 'section', fields: rows.slice(3).flat() },
    { type: 'section', text: markdown('*Error*') },
    { type: 'section', text: plain(cut(errorText(notice.error), maxSection)) },
    ...linkBlock(notice.dashboardUrl, openEvent),
  ];
}

/** At most 14 blocks; a message may have 50. */
function summaryBlocks(notice: SummaryNotice): Block[] {
  return [
    { type: 'section', text: plain(cut(summaryText(notice), maxSection)) },
    { type: 'divider' },
    ...notice.first.slice(0, maxShown).map(({ event_type, error, dashboardUrl }): Block => {
      const named = `${cut(typeName(event_type), maxNamed)}: ${cut(errorText(error), maxListedError)}`;
      const link = linkTo(dashboardUrl, openEvent);
      return { type: 'section', text: plain(named), ...(link && { fields: [link] }) };
    }),
    ...linkBlock(notice.dashboardUrl, openList),
  ];
}

const plain = (text: string): PlainText => ({ type: 'plain_text', text, emoji: false });
/** `verbatim`: Slack makes no links or mentions of its own. */
const markdown = (text: string): Markdown => ({ type: 'mrkdwn', text, verbatim: true });

/** A link; null when the URL is too long for a message. */
function linkTo(url: string, words: string): Markdown | null {
  // A bar would end the URL; `plainUrl` leaves none.
  const link = `<${escapeText(plainUrl(url))}|${words}>`;
  return link.length <= maxField ? markdown(link) : null;
}

function linkBlock(url: string, words: string): Block[] {
  const link = linkTo(url, words);
  return link ? [{ type: 'section', text: link }] : [];
}

function preview(notice: Notice): string {
  if (notice.kind === 'summary') return cut(summaryText(notice), maxText);
  return `${cut(headline(notice), maxNamed)}: ${cut(errorText(notice.error).replace(/\s+/g, ' '), maxListedError)}`;
}

/** Slack: "Formatting text for app surfaces", "Escaping text". */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Text for where Slack looks for formatting, names and links by itself and has no escape for them: an invisible word
 * joiner (U+2060) after a character takes its meaning.
 */
function inert(text: string): string {
  return escapeText(text.replace(/[*_~`@#]|:(?=\S)/g, '$&\u2060'));
}
