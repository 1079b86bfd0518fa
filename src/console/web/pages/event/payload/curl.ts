import type { EventDetails } from '../../../api/types.ts';

/** Longer payloads are read from a file by the command. */
const inlineLength = 4_000;
/** What curl and the connection write by themselves. */
const ownHeaders = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding', 'expect']);

/** The name under which the page saves the payload of an event. */
export const payloadFile = ({ id }: Pick<EventDetails, 'id'>) => `${id}.bin`;

/** A word for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A command that sends the event's webhook to the gateway again, as its provider did. Masked values are left for the user
 * to fill in. A long or binary payload is read from the file as which the page saves it.
 */
export function curlCommand(event: EventDetails, origin: string, raw: string | null): string {
  const { provider, account_slug, headers } = event;
  const lines = [`curl -X POST ${quoted(`${origin}/${provider}/${account_slug}`)}`];
  for (const [name, value] of headers)
    if (!ownHeaders.has(name.toLowerCase())) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  const isInline = raw !== null && raw.length <= inlineLength;
  lines.push(isInline ? `--data-raw ${quoted(raw)}` : `--data-binary @${payloadFile(event)}`);
  return lines.join(' \\\n  ');
}
