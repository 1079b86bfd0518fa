import { createHash, createPrivateKey, createSecretKey, createSign, sign } from 'node:crypto';
import { parse } from 'node:querystring';
import jwt from 'jsonwebtoken';
import { hmacConfig } from '../../../providers/hmac-config.ts';
import { piecesOf, signedValues } from '../../../providers/hmac-text.ts';
import { type Header, inboundRequest } from '../../../providers/inbound-request.ts';
import { hmac } from '../../../providers/signature.ts';
import { keyBytes } from '../../../providers/standard-signature.ts';
import { usageError } from '../../exit.ts';
import { signAdyen, signMailgun } from './body-signers.ts';
import { type Message, type Signer, type SigningKey, seconds } from './message.ts';

/** How each provider signs, as it documents (see the files of `src/providers`). */
const signers: Readonly<Record<string, Signer>> = {
  generic: (_, { secret }) => ({ headers: [['X-Webhook-Secret', secret]] }),
  support_chat: ({ base, path }, { secret }) => ({
    headers: [['X-Original-Url', base + path]],
    query: new URLSearchParams({ key: secret }).toString(),
  }),
  adyen: signAdyen,
  github: hubSignature('X-Hub-Signature-256', 'sha256'),
  gitlab: (message, key) =>
    key.secret.startsWith('whsec_')
      ? standardHeaders({ ...message, id: idempotencyKey(message) ?? message.id }, key)
      : { headers: [['X-Gitlab-Token', key.secret]] },
  hmac: signHmac,
  intercom: hubSignature('X-Hub-Signature', 'sha1'),
  mailgun: signMailgun,
  meta: hubSignature('X-Hub-Signature-256', 'sha256'),
  sendgrid(message, { secret }) {
    const time = seconds(message);
    const signature = createSign('sha256').update(time).update(message.body).sign(createPrivateKey(secret), 'base64');
    return {
      headers: [
        ['X-Twilio-Email-Event-Webhook-Signature', signature],
        ['X-Twilio-Email-Event-Webhook-Timestamp', time],
      ],
    };
  },
  shopify: ({ body }, { secret }) => ({
    headers: [['X-Shopify-Hmac-Sha256', hmac('sha256', secret, [body]).toString('base64')]],
  }),
  slack(message, { secret }) {
    const time = seconds(message);
    const signature = hmac('sha256', secret, [`v0:${time}:`, message.body]).toString('hex');
    return {
      headers: [
        ['X-Slack-Request-Timestamp', time],
        ['X-Slack-Signature', `v0=${signature}`],
      ],
    };
  },
  standard: standardHeaders,
  stripe(message, { secret }) {
    const time = seconds(message);
    const signature = hmac('sha256', secret, [`${time}.`, message.body]).toString('hex');
    return { headers: [['Stripe-Signature', `t=${time},v1=${signature}`]] };
  },
  twilio({ base, path, body, contentType }, { secret, config }) {
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType);
    const query = isForm ? '' : `bodySHA256=${createHash('sha256').update(body).digest('hex')}`;
    // Twilio signs the address that it was given, also if a proxy changes it afterwards.
    const origin = typeof config.public_url === 'string' ? config.public_url.replace(/\/+$/, '') : base;
    const url = `${origin}${path}${asAddition(path, query)}`;
    const parameters = isForm ? parametersText(Buffer.from(body).toString('utf8')) : '';
    return { headers: [['X-Twilio-Signature', hmac('sha1', secret, [url, parameters]).toString('base64')]], query };
  },
  vonage({ at, body, id }, { secret, config }) {
    const claims = {
      iat: Math.floor(at.getTime() / 1000),
      jti: id,
      iss: 'Vonage',
      payload_hash: createHash('sha256').update(body).digest('hex'),
      ...(config.application_id === undefined ? {} : { application_id: config.application_id }),
    };
    const token = jwt.sign(claims, createSecretKey(Buffer.from(secret)), { algorithm: 'HS256' });
    return { headers: [['Authorization', `Bearer ${token}`]] };
  },
};

/** Everything that is sent, except host and length. */
export interface SignedMessage {
  headers: Header[];
  body: Uint8Array;
  /** What is added to the path, with its `?` or `&`; empty: nothing. */
  query: string;
}

/**
 * Signs a webhook as the provider would.
 *
 * @throws CliError for a provider that is not known, and for a secret that the provider cannot sign with
 */
export function signMessage(provider: string, message: Message, key: SigningKey): SignedMessage {
  const signer = Object.hasOwn(signers, provider) ? signers[provider] : undefined;
  if (!signer) throw usageError(`${provider} is not a provider`, `Providers: ${Object.keys(signers).join(', ')}.`);
  const { headers, body = message.body, query = '' } = signer(message, key);
  return {
    headers: [['Content-Type', message.contentType], ...message.headers, ...headers],
    body,
    query: asAddition(message.path, query),
  };
}

/** What a query adds to a path, which may have a query already. */
function asAddition(path: string, query: string): string {
  if (query === '') return '';
  return (path.includes('?') ? '&' : '?') + query;
}

function hubSignature(header: string, algorithm: 'sha1' | 'sha256'): Signer {
  return ({ body }, { secret }) => ({
    headers: [[header, `${algorithm}=${hmac(algorithm, secret, [body]).toString('hex')}`]],
  });
}

/** Standard Webhooks: `v1` with a shared secret, `v1a` with a private key of Ed25519 in PEM. */
function standardHeaders(message: Message, { secret }: SigningKey) {
  const time = seconds(message);
  const start = `${message.id}.${time}.`;
  const signature = secret.startsWith('-----BEGIN')
    ? `v1a,${sign(null, Buffer.concat([Buffer.from(start), message.body]), createPrivateKey(secret)).toString('base64')}`
    : `v1,${hmac('sha256', keyOf(secret), [start, message.body]).toString('base64')}`;
  const headers: Header[] = [
    ['webhook-id', message.id],
    ['webhook-timestamp', time],
    ['webhook-signature', signature],
  ];
  return { headers };
}

/** Supabase shows the secret with `v1,` in front. A secret without a prefix is base64, or else the key itself. */
function keyOf(secret: string): Uint8Array {
  const shown = secret.replace(/^v1,(?=whsec_)/, '');
  return keyBytes(shown, 'whsec_') ?? keyBytes(shown, '') ?? Buffer.from(secret);
}

function idempotencyKey({ headers }: Message): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
}

/** By the account's config. Of the headers that it names, those that the message lacks are added. */
function signHmac(message: Message, { secret, config: given }: SigningKey) {
  const read = hmacConfig.safeParse(given);
  if (!read.success)
    throw usageError(
      `provider_config is not valid: ${read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
      'docs/providers.md lists the fields.',
    );
  const config = read.data;
  const added: Header[] = [];
  const add = (name: string | undefined, value: string) => {
    const has = message.headers.some(([other]) => other.toLowerCase() === name?.toLowerCase());
    if (name !== undefined && !has) added.push([name, value]);
  };
  add(config.timestamp_header, config.timestamp_unit === 'seconds' ? seconds(message) : String(message.at.getTime()));
  add(config.event_id_header, message.id);
  const request = inboundRequest({
    rawHeaders: [...message.headers, ...added].flat(),
    target: message.path,
    publicUrl: message.base,
    body: message.body,
    receivedAt: message.at,
  });
  const parts = signedValues(piecesOf(config.signed), request, config).map((part) =>
    typeof part === 'string' ? Buffer.from(part, 'latin1') : part,
  );
  const key = config.secret_encoding === 'utf8' ? secret : Buffer.from(secret, config.secret_encoding);
  const signature = hmac(config.algorithm, key, parts).toString(config.encoding);
  return { headers: [...added, [config.header, `${config.prefix}${signature}`] satisfies Header] };
}

/** Names and values of a form as Twilio signs them: sorted, and equal values of one name only once. */
function parametersText(form: string): string {
  return Object.entries(parse(form))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, values]) => [...new Set([values ?? []].flat())].sort().map((value) => name + value))
    .join('');
}
