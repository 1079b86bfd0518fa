import { randomBytes } from 'node:crypto';
import type { Header } from '../../providers/inbound-request.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { SampleContent, SampleFields } from './samples/sample.ts';
import { sampleNames, samples } from './samples/samples.ts';
import { withFields } from './set-fields.ts';
import type { Message } from './signing/message.ts';

/** What a webhook consists of before it is signed. */
interface MessageContent {
  body: Uint8Array;
  contentType: string;
  headers: Header[];
}

/** Makes the content of one webhook, each time with new ids. */
export type MakeContent = (context: { id: string; at: Date }) => MessageContent;

/** Provider and type of `stripe/invoice.paid`; types may have slashes. */
export function parseSampleName(text: string): { provider: string; type: string | null } {
  const slash = text.indexOf('/');
  return slash < 0 ? { provider: text, type: null } : { provider: text.slice(0, slash), type: text.slice(slash + 1) };
}

/**
 * @param settings of `--set`
 * @throws CliError if there is no such sample
 */
export function contentOfSample(provider: string, type: string | null, settings: readonly string[]): MakeContent {
  const known = samples.get(provider);
  if (!known)
    throw new CliError(
      exitCodes.notFound,
      `there are no samples of ${provider}`,
      `Samples: ${sampleNames().join(', ')}.`,
    );
  const names = Object.keys(known.samples);
  const make = type !== null && Object.hasOwn(known.samples, type) ? known.samples[type] : undefined;
  if (!make) {
    const missing = type === null ? 'the type of the sample is missing' : `${provider} has no sample ${type}`;
    throw new CliError(
      type === null ? exitCodes.wrongUsage : exitCodes.notFound,
      missing,
      `Samples: ${names.map((name) => `${provider}/${name}`).join(', ')}. --file sends the body in a file.`,
    );
  }
  return (context) => encoded(withFields(make(context), settings));
}

/** @throws CliError for `--set` with a body that is not JSON */
export function contentOfFile(
  body: Uint8Array,
  { contentType, settings }: { contentType: string | undefined; settings: readonly string[] },
): MakeContent {
  const type = contentType ?? 'application/json';
  if (settings.length === 0) return () => ({ body, contentType: type, headers: [] });
  const fields = fieldsOf(body);
  if (fields === null)
    throw usageError('--set changes a JSON object, and the file has none', 'Change the file instead.');
  return () => ({ ...encoded(withFields({ fields }, settings)), contentType: type });
}

function fieldsOf(body: Uint8Array): SampleFields | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof parsed === 'object' ? (parsed as SampleFields | null) : null;
  } catch {
    return null;
  }
}

function encoded({ fields, encoding = 'json', headers = [] }: SampleContent): MessageContent {
  return encoding === 'json'
    ? { body: Buffer.from(JSON.stringify(fields)), contentType: 'application/json', headers }
    : {
        body: Buffer.from(new URLSearchParams(fields as Record<string, string>).toString()),
        contentType: 'application/x-www-form-urlencoded',
        headers,
      };
}

/** A message to be signed now, with a new id. */
export function newMessage(
  make: MakeContent,
  { base, path, headers }: { base: string; path: string; headers: readonly Header[] },
): Message {
  const context = { id: randomBytes(12).toString('hex'), at: new Date() };
  const content = make(context);
  const isReplaced = ([name]: Header) => headers.some(([other]) => other.toLowerCase() === name.toLowerCase());
  const isType = ([name]: Header) => name.toLowerCase() === 'content-type';
  const contentType = headers.find(isType)?.[1] ?? content.contentType;
  return {
    ...{ body: content.body, contentType, base, path, at: context.at },
    id: `msg_${context.id}`,
    headers: [
      ...content.headers.filter((header) => !isReplaced(header)),
      ...headers.filter((header) => !isType(header)),
    ],
  };
}
