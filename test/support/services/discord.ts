import type { ErrorObject } from 'ajv';
import type { Reply } from '../consumer.ts';
import { secretInUrl } from '../secrets.ts';
import { type DiscordMessage, isDiscordMessage } from './discord-schema.ts';
import { type Answer, answering, mistakes, type Service, startService, strictJson } from './service.ts';

const webhookId = '223704706495545344';
const webhookToken = secretInUrl('discord').padEnd(68, '0');
/** The path is the secret. */
export const discordPath = `/api/webhooks/${webhookId}/${webhookToken}`;

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits: the sum over all embeds. */
const maxEmbedCharacters = 6_000;

export interface Discord extends Service<DiscordMessage> {
  /** The webhook's URL. */
  url: string;
  /** Mentions of which Discord would have notified users. Tests expect none, because they could only come from data. */
  mentions: string[];
}

/** Discord's "execute webhook", with one webhook. */
export async function startDiscord(path = discordPath): Promise<Discord> {
  const mentions: string[] = [];
  const service: Service<DiscordMessage> = await startService((request) => {
    const refused = (answer: Answer, violation: string) => ({ ok: false as const, answer, violation });
    const { pathname, searchParams } = request.url;
    if (pathname !== path) return refused(failure(404, 'Unknown Webhook', 10015), 'no such webhook');
    if (request.method !== 'POST')
      return refused(failure(405, '405: Method Not Allowed', 0), `the method is ${request.method}`);
    const parsed = strictJson(request);
    if (!parsed.ok) return refused(failure(400, 'The request body contains invalid JSON.', 50109), parsed.why);
    const { value } = parsed;
    if (!isDiscordMessage(value)) {
      const { errors } = isDiscordMessage;
      return refused(invalidForm(errors ?? []), mistakes(errors).join('; '));
    }
    if (isEmpty(value))
      return refused(failure(400, 'Cannot send an empty message', 50006), 'neither content nor embeds');
    if (embedCharacters(value) > maxEmbedCharacters)
      return refused(tooLong, `the embeds have ${embedCharacters(value)} characters`);
    mentions.push(...mentionsIn(value));
    // https://docs.discord.com/developers/resources/webhook#execute-webhook-query-string-params
    if (searchParams.get('wait') !== 'true') return { ok: true, message: value, answer: { status: 204 } };
    const body = { id: String(service.requests.length), type: 0, channel_id: '1', webhook_id: webhookId, ...value };
    return { ok: true, message: value, answer: { status: 200, body } };
  });
  return Object.assign(service, { url: `${service.origin}${path}`, mentions });
}

const failure = (status: number, message: string, code: number): Answer => ({ status, body: { message, code } });

/** https://docs.discord.com/developers/reference#error-messages: errors are nested like the fields. */
function invalidForm(errors: ErrorObject[]): Answer {
  const found = errors.map(({ instancePath, message = '' }) => ({ path: instancePath.split('/').slice(1), message }));
  return { status: 400, body: { message: 'Invalid Form Body', code: 50035, errors: byPlace(found) } };
}

function byPlace(errors: { path: string[]; message: string }[]): Record<string, unknown> {
  const here = errors.filter(({ path }) => path.length === 0);
  const names = new Set(errors.flatMap(({ path: [name] }) => name ?? []));
  const below = [...names].map((name) => {
    const inside = errors.filter(({ path }) => path[0] === name);
    return [name, byPlace(inside.map(({ path, message }) => ({ path: path.slice(1), message })))];
  });
  const _errors = here.map(({ message }) => ({ code: 'BASE_TYPE_INVALID', message }));
  return { ...(_errors.length > 0 ? { _errors } : {}), ...Object.fromEntries(below) };
}

const tooLong: Answer = {
  status: 400,
  body: {
    message: 'Invalid Form Body',
    code: 50035,
    errors: {
      embeds: {
        _errors: [{ code: 'MAX_EMBED_SIZE_EXCEEDED', message: 'Embed size exceeds maximum size of 6000' }],
      },
    },
  },
};

/** https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit */
export const discordRateLimited = (seconds: number): Reply =>
  answering({
    status: 429,
    headers: {
      'retry-after': String(Math.ceil(seconds)),
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset-after': String(seconds),
      'x-ratelimit-scope': 'user',
    },
    body: { message: 'You are being rate limited.', retry_after: seconds, global: false },
  });

function isEmpty({ content = '', embeds = [] }: DiscordMessage): boolean {
  return content.trim() === '' && !embeds.some((embed) => Object.keys(embed).length > 0);
}

/** The code points, as Discord counts, of all titles, descriptions, field names and values, footers and authors. */
function embedCharacters({ embeds = [] }: DiscordMessage): number {
  const texts = embeds.flatMap(({ title = '', description = '', footer, author, fields = [] }) => [
    ...[title, description, footer?.text ?? '', author?.name ?? ''],
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]);
  return texts.reduce((sum, text) => sum + [...text.trim()].length, 0);
}

/** Mentions in the content, unless `allowed_mentions` forbids them. Embeds cannot mention. */
function mentionsIn({ content = '', allowed_mentions }: DiscordMessage): string[] {
  const { parse, users = [], roles = [] } = allowed_mentions ?? { parse: ['roles', 'users', 'everyone'] };
  const told = (kind: string, pattern: RegExp, ids: string[] = []) =>
    [...content.matchAll(pattern)].flatMap(([text, id = '']) =>
      parse?.includes(kind) || ids.includes(id) ? [text] : [],
    );
  return [
    ...told('everyone', /@(?:everyone|here)/g),
    ...told('users', /<@!?(\d+)>/g, users),
    ...told('roles', /<@&(\d+)>/g, roles),
  ];
}
