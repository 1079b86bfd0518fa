import type { Reply } from '../consumer.ts';
import { secretInUrl } from '../secrets.ts';
import { type Answer, answering, mistakes, type Service, startService, strictJson, stringsIn } from './service.ts';
import { isSlackMessage, type SlackMessage } from './slack-schema.ts';

/** In the form of https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks; the path is the secret. */
export const slackPath = `/services/T00000000/B00000000/${secretInUrl('slack').replace('-', '')}`;

export interface Slack extends Service<SlackMessage> {
  /** The webhook's URL. */
  url: string;
  /** Control sequences (`<!channel>`, `<@U1>`) that Slack would have interpreted. Tests expect none: they come from data. */
  commands: string[];
}

/** A fake of Slack's incoming webhooks, with one webhook. */
export async function startSlack(path = slackPath): Promise<Slack> {
  const commands: string[] = [];
  const service = await startService<SlackMessage>((request) => {
    const refused = (status: number, body: string, violation: string) => ({
      ok: false as const,
      answer: plain(status, body),
      violation,
    });
    // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling-errors
    if (request.url.pathname !== path || request.url.search !== '')
      return refused(404, 'no_service', 'no such webhook');
    if (request.method !== 'POST') return refused(400, 'invalid_payload', `the method is ${request.method}`);
    const parsed = strictJson(request);
    if (!parsed.ok) return refused(400, 'invalid_payload', parsed.why);
    const { value } = parsed;
    if (!isSlackMessage(value)) {
      const found = mistakes(isSlackMessage.errors);
      return refused(400, errorCode(value), found.join('; '));
    }
    commands.push(...commandsIn(value));
    return { ok: true, message: value, answer: plain(200, 'ok') };
  });
  return Object.assign(service, { url: `${service.origin}${path}`, commands });
}

const plain = (status: number, body: string): Answer => ({ status, headers: { 'content-type': 'text/html' }, body });

/** Slack's error code for a message that its schema refuses. */
function errorCode(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'invalid_payload';
  if (!('text' in value) || value.text === '') return 'no_text';
  return 'blocks' in value ? 'invalid_blocks' : 'invalid_payload';
}

/** https://docs.slack.dev/apis/web-api/rate-limits: one message a second for each webhook. */
export const slackRateLimited = (seconds: number): Reply =>
  answering({ status: 429, headers: { 'retry-after': String(seconds) }, body: 'rate_limited' });

/**
 * Mentions of people, groups and channels (https://docs.slack.dev/messaging/formatting-message-text): `&`, `<` and `>`
 * in data must be escaped. A plain_text object is not formatted.
 */
const commandsIn = (message: SlackMessage): string[] =>
  formattedIn(message).flatMap((text) => [...text.matchAll(/<[!@#][^>]*>/g)].map(([found]) => found));

/** The texts that Slack formats: the fallback and every mrkdwn object. */
export const formattedIn = ({ text, blocks }: SlackMessage): string[] => [text, ...mrkdwnIn(blocks)];

function mrkdwnIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  if ('type' in part && part.type === 'mrkdwn') return stringsIn(part).map(({ text }) => text);
  return Object.values(part).flatMap(mrkdwnIn);
}
