import { headerValue } from '../../delivery/headers.ts';
import { secretsOfUrl } from '../../secrets/secret-mask.ts';
import { chatOneMessage } from '../messages/chat-one-message.ts';
import type { Notice, Said } from '../notice.ts';
import { type Outbound, postJson } from './post-message.ts';
import { userAgent } from './user-agent.ts';

/** Posts the message to a Slack-compatible incoming webhook. Never rejects. */
export function sendToChatOne(outbound: Outbound, config: { webhook_url: string }, notice: Notice): Promise<Said> {
  const url = config.webhook_url;
  const body = Buffer.from(JSON.stringify(chatOneMessage(notice)));
  const headers = [['idempotency-key', headerValue(notice.id)] as const, userAgent];
  return postJson(outbound, { url, headers, body, secrets: secretsOfUrl(url) });
}
