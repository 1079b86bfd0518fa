import type { Reply } from '../consumer.ts';
import { secretText } from '../secrets.ts';
import { isSentMail, type SentMail } from './sendgrid-schema.ts';
import {
  type Answer,
  answering,
  mistakes,
  type Service,
  type ServiceRequest,
  startService,
  strictJson,
} from './service.ts';

export const sendGridPath = '/v3/mail/send';
/** https://www.twilio.com/docs/sendgrid/api-reference/mail-send/limitations: less than 30 MB, attachments included. */
const maxBytes = 30 * 1024 * 1024;
/** The same page: "The total length of custom arguments must be less than 10,000 bytes." */
const maxCustomArgsBytes = 10_000;
const maxRecipients = 1_000;

export interface SendGrid extends Service<SentMail> {
  apiKey: string;
}

/** A fake of SendGrid's mail send. Its `origin` is for `SENDGRID_BASE_URL`. */
export async function startSendGrid(apiKey = `SG.${secretText('sendgrid')}`): Promise<SendGrid> {
  let accepted = 0;
  const service = await startService<SentMail>((request) => {
    const refused = (answer: Answer, violation: string) => ({ ok: false as const, answer, violation });
    const { pathname, search } = request.url;
    if (pathname !== sendGridPath || search !== '')
      return refused(failure(404, 'not found'), `nothing at ${pathname}${search}`);
    if (request.method !== 'POST')
      return refused(failure(405, 'method not allowed'), `the method is ${request.method}`);
    if (request.headers.authorization !== `Bearer ${apiKey}`)
      return refused(revoked, 'the API key is not the right one, or is no bearer token');
    const parsed = strictJson(request);
    if (!parsed.ok) return refused(failure(400, 'Bad Request'), parsed.why);
    const { value } = parsed;
    if (!isSentMail(value)) {
      const found = mistakes(isSentMail.errors);
      return refused(failure(400, found[0] ?? ''), found.join('; '));
    }
    const [broken] = brokenRules(request, value);
    if (broken)
      return refused(failure(broken.status ?? 400, broken.message, broken.field), `${broken.field}: ${broken.message}`);
    accepted += 1;
    return { ok: true, message: value, answer: { status: 202, headers: { 'x-message-id': `message-${accepted}` } } };
  });
  return Object.assign(service, { apiKey });
}

/** https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/responses */
function failure(status: number, message: string, field: string | null = null): Answer {
  return { status, body: { errors: [{ message, field, help: null }] } };
}

const revoked = failure(401, 'The provided authorization grant is invalid, expired, or revoked');

/** The answer to a revoked key. */
export const sendGridRevoked: Reply = answering(revoked);

/** https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits; `Retry-After` besides. */
export const sendGridRateLimited = (seconds: number): Reply =>
  answering({
    ...failure(429, 'too many requests'),
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-limit': '600',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + seconds),
    },
  });

interface BrokenRule {
  field: string;
  message: string;
  status?: number;
}

/** Rules that the schema cannot express. https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors */
function brokenRules({ body }: ServiceRequest, mail: SentMail): BrokenRule[] {
  return [
    ...(body.length >= maxBytes ? [{ field: 'body', message: 'content too large', status: 413 }] : []),
    ...recipientRules(mail),
    ...contentRules(mail),
    ...(mail.attachments ?? []).flatMap(({ content }, at) =>
      Buffer.from(content, 'base64').toString('base64') === content
        ? []
        : [{ field: `attachments.${at}.content`, message: 'The attachment content must be base64 encoded.' }],
    ),
    ...mail.personalizations.flatMap(({ custom_args }, at) => {
      const bytes = Buffer.byteLength(JSON.stringify({ ...mail.custom_args, ...custom_args }));
      const message = 'The custom_args parameter must be less than 10,000 bytes.';
      return bytes < maxCustomArgsBytes ? [] : [{ field: `personalizations.${at}.custom_args`, message }];
    }),
  ];
}

function recipientRules({ personalizations }: SentMail): BrokenRule[] {
  const all = personalizations.map(({ to, cc = [], bcc = [] }) =>
    [...to, ...cc, ...bcc].map(({ email }) => email.toLowerCase()),
  );
  const doubled = all.flatMap((emails, at) =>
    new Set(emails).size === emails.length
      ? []
      : [
          {
            field: `personalizations.${at}`,
            message: 'Each email address in the personalization block should be unique between to, cc, and bcc.',
          },
        ],
  );
  if (all.flat().length <= maxRecipients) return doubled;
  const message = 'There is a limit of 1000 total recipients (to + cc + bcc) per request.';
  return [...doubled, { field: 'personalizations', message }];
}

/** "If present, text/plain and text/html have to be the first and second content block". */
function contentRules({ content }: SentMail): BrokenRule[] {
  const types = content.map(({ type }) => type);
  const first = ['text/plain', 'text/html'].filter((type) => types.includes(type));
  const inOrder = first.every((type, at) => types[at] === type) && new Set(types).size === types.length;
  const message = 'If present, text/plain must be first, followed by text/html, followed by any other content.';
  return inOrder ? [] : [{ field: 'content', message }];
}
