import { Ajv } from 'ajv';
import { object } from './json-schema.ts';

// SendGrid's published schema of `POST /v3/mail/send`, as far as the gateway could use it:
// https://github.com/twilio/sendgrid-oai/blob/main/spec/json/tsg_mail_v3.json
// and the rules of its pages that a schema can express:
// https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors
// https://www.twilio.com/docs/sendgrid/api-reference/mail-send/limitations
// Fields of templates, batches, scheduling and unsubscribe groups are left out, so that they are errors.

interface MailAddress {
  email: string;
  name?: string;
}

/** A request that SendGrid accepts. */
export interface SentMail {
  personalizations: {
    to: MailAddress[];
    cc?: MailAddress[];
    bcc?: MailAddress[];
    from?: MailAddress;
    subject?: string;
    headers?: Record<string, string>;
    substitutions?: Record<string, string>;
    custom_args?: Record<string, string>;
  }[];
  from: MailAddress;
  reply_to?: MailAddress;
  subject: string;
  content: { type: string; value: string }[];
  attachments?: { content: string; filename: string; type?: string; disposition?: string; content_id?: string }[];
  headers?: Record<string, string>;
  categories?: string[];
  custom_args?: Record<string, string>;
  mail_settings?: object;
  tracking_settings?: object;
}

const email = object(['email'], {
  email: { type: 'string', pattern: '^[^\\s@<>",;:\\\\]+@[^\\s@<>",;:\\\\]+\\.[^\\s@<>",;:\\\\]+$' },
  name: { type: 'string' },
});
const recipients = { type: 'array', minItems: 1, maxItems: 1000, items: email };

// "The subject … must be a string at least one character in length", and data must not start a new header line.
const subject = { type: 'string', minLength: 1, pattern: '^[^\\r\\n]*$' };

// Not to be overridden: x-sg-id, x-sg-eid, received, dkim-signature, Content-Type, Content-Transfer-Encoding, To, From,
// Subject, Reply-To, CC, BCC. Names and values are ASCII.
const reserved =
  'x-sg-id|x-sg-eid|received|dkim-signature|content-type|content-transfer-encoding|to|from|subject|reply-to|cc|bcc';
const anyCase = reserved.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
const headers = {
  type: 'object',
  propertyNames: { pattern: `^(?!(${anyCase})$)[\\x21-\\x39\\x3b-\\x7e]+$` },
  additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]*$' },
};
const strings = { type: 'object', additionalProperties: { type: 'string' } };

const enabling = (...texts: string[]) =>
  object([], {
    enable: { type: 'boolean' },
    ...Object.fromEntries(texts.map((name) => [name, { type: 'string' }])),
  });

const schema = object(['personalizations', 'from', 'subject', 'content'], {
  personalizations: {
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    items: object(['to'], {
      ...{ from: email, to: recipients, cc: recipients, bcc: recipients },
      ...{ subject, headers, substitutions: strings, custom_args: strings },
    }),
  },
  from: email,
  reply_to: email,
  subject,
  content: {
    type: 'array',
    minItems: 1,
    items: object(['type', 'value'], {
      // "The content type … cannot contain ';', ',', or CRLF characters".
      type: { type: 'string', minLength: 1, pattern: '^[^;,\\r\\n]+$' },
      value: { type: 'string', minLength: 1 },
    }),
  },
  attachments: {
    type: 'array',
    items: object(['content', 'filename'], {
      content: { type: 'string', minLength: 1 },
      type: { type: 'string', minLength: 1, pattern: '^[^;,\\r\\n]+$' },
      filename: { type: 'string', minLength: 1, pattern: '^[^\\r\\n]+$' },
      disposition: { enum: ['inline', 'attachment'] },
      content_id: { type: 'string', pattern: '^[^;,\\r\\n]+$' },
    }),
  },
  headers,
  categories: { type: 'array', maxItems: 10, uniqueItems: true, items: { type: 'string', maxLength: 255 } },
  // The published schema says string, but the service requires an object of strings:
  // https://www.twilio.com/docs/sendgrid/for-developers/sending-email/personalizations
  custom_args: strings,
  mail_settings: object([], {
    bypass_list_management: enabling(),
    bypass_spam_management: enabling(),
    bypass_bounce_management: enabling(),
    bypass_unsubscribe_management: enabling(),
    footer: enabling('text', 'html'),
    sandbox_mode: enabling(),
  }),
  tracking_settings: object([], {
    click_tracking: object([], { enable: { type: 'boolean' }, enable_text: { type: 'boolean' } }),
    open_tracking: enabling('substitution_tag'),
    subscription_tracking: enabling('text', 'html', 'substitution_tag'),
    ganalytics: enabling('utm_source', 'utm_medium', 'utm_term', 'utm_content', 'utm_campaign'),
  }),
});

/** Whether a value is a valid mail; `errors` has the reasons if not. */
export const isSentMail = new Ajv({ allErrors: true }).compile<SentMail>(schema);
