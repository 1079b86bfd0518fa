import { expect } from 'vitest';
import type { ChatOneMessage } from '../../../src/notifications/messages/chat-one-message.ts';
import type { ChatTwoMessage } from '../../../src/notifications/messages/chat-two-message.ts';
import type { EmailMessage } from '../../../src/notifications/messages/email-message.ts';
import { controls, stringsIn } from './support.ts';

const filledWithin = (text: string, max: number) => {
  expect(text.trim()).not.toBe('');
  expect(text.length).toBeLessThanOrEqual(max);
};

/** Checks that all strings of a message are well-formed and without control characters. */
export function expectReadable(message: object): void {
  for (const text of stringsIn(message)) {
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toMatch(controls);
  }
}

/** Slack's limits, from its Block Kit reference. */
export function expectSlackLimits({ text, blocks }: ChatOneMessage): void {
  filledWithin(text, 3000);
  expect(blocks.length).toBeLessThanOrEqual(50);
  for (const block of blocks) {
    if (block.type === 'divider') continue;
    if ('text' in block) filledWithin(block.text.text, block.type === 'header' ? 150 : 3000);
    if (!('fields' in block) || !block.fields) continue;
    expect(block.fields.length).toBeGreaterThan(0);
    expect(block.fields.length).toBeLessThanOrEqual(10);
    for (const field of block.fields) filledWithin(field.text, 2000);
  }
}

/** Discord's limits, from its documentation of messages and webhooks. */
export function expectDiscordLimits({ content, embeds }: ChatTwoMessage): void {
  filledWithin(content, 2000);
  const [{ title, description, fields, url }] = embeds;
  filledWithin(title, 256);
  filledWithin(description, 4096);
  expect(url?.length ?? 0).toBeLessThanOrEqual(2048);
  expect(fields.length).toBeLessThanOrEqual(25);
  for (const { name, value } of fields) {
    filledWithin(name, 256);
    filledWithin(value, 1024);
  }
  const counted = title + description + fields.map(({ name, value }) => name + value).join('');
  expect(counted.length).toBeLessThanOrEqual(6000);
}

/** Checks what every e-mail must satisfy. */
export function expectSoundEmail({ subject, text, html, attachment }: EmailMessage): void {
  filledWithin(subject, 200);
  expect(subject).not.toMatch(/[\t\n]/);
  expect(text.trim()).not.toBe('');
  // The gateway itself uses only these tags; any other comes from a value.
  const tags = html.replace(/<style>[\s\S]*?<\/style>/, '').match(/<[^>]*>?/g) ?? [];
  const names = new Set(tags.map((tag) => /^<[/!]?([a-z0-9]+)/i.exec(tag)?.[1]));
  const known = [
    'DOCTYPE',
    'html',
    'head',
    'meta',
    'title',
    'body',
    'table',
    'tr',
    'td',
    'h1',
    'h2',
    'p',
    'a',
    'div',
    'pre',
  ];
  expect([...names].filter((name) => name === undefined || !known.includes(name))).toEqual([]);
  for (const tag of tags) expect(tag).toMatch(/^<(?:[/!]?\w+)(?: [a-z-]+="[^"<>]*"| html)*>$/);
  // The message loads no resources.
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1];
  expect(`${style}${tags.join('')}`).not.toMatch(/ (?:src|background)=|@import|url\(/);
  expect(attachment?.content.length).not.toBe(0);
}
