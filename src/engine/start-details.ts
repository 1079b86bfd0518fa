import { attemptText } from '../../workflows/attempt-text.ts';
import type { DeliverySchedule } from '../../workflows/messages.ts';
import type { Startable } from './startable.ts';

/** Temporal refuses a workflow whose summary has more than 400 bytes, of which its encoding takes about 30. */
const longestSummary = 350;

/** What the Web UI shows of a workflow from its start on: a line, and a text in Markdown. */
export function startDetails(
  event: Startable,
  { schedule, eventLink }: { schedule: DeliverySchedule; eventLink(eventId: string): string },
): { staticSummary: string; staticDetails: string } {
  const { provider, accountSlug, consumer, eventType, lastAttempt, deliveryStatus } = event;
  const lines = [
    `- Account: ${code(`${provider}/${accountSlug}`)}`,
    ...(consumer === 'default' ? [] : [`- Consumer: ${code(consumer)}`]),
    ...(eventType === null ? [] : [`- Event type: ${code(eventType)}`]),
    `- [Event in the console](${eventLink(event.eventId)})`,
    ...(lastAttempt === null ? [] : [`- Before this workflow: ${attemptText(lastAttempt, schedule.delaysMs)}`]),
    ...(deliveryStatus === 'pending' ? [] : [`- At its start, the delivery had ended: ${deliveryStatus}`]),
  ];
  return {
    staticSummary: shortened(
      [
        `${provider}/${accountSlug}`,
        ...(consumer === 'default' ? [] : [`to ${consumer}`]),
        ...(eventType === null ? [] : [eventType]),
      ].join(' '),
    ),
    staticDetails: lines.join('\n'),
  };
}

/** The event's type comes from a payload, so nothing in it may be read as Markdown. */
const code = (text: string) => `\`${plain(text).replaceAll('`', "'")}\``;

/** The text, or its beginning and an ellipsis, in at most `longestSummary` bytes of JSON. */
function shortened(text: string): string {
  const whole = plain(text);
  if (bytesOf(whole) <= longestSummary - bytesOf('…')) return whole;
  const characters = [...whole];
  let bytes = bytesOf('…');
  const most = characters.findIndex((character) => {
    bytes += bytesOf(character);
    return bytes > longestSummary;
  });
  return `${characters.slice(0, most).join('')}…`;
}

/** In JSON, quotes and backslashes take two. */
const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) - '""'.length;

const plain = (text: string) => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
