import { reasonOf } from '../../delivery/failure.ts';
import type { Sender } from '../../delivery/send.ts';
import type { DestinationSettings } from '../destinations/destination-config.ts';
import { type Notice, notSent, type Said, type SendNotice } from '../notice.ts';
import type { MailSettings } from '../settings.ts';
import { sendToChatOne } from './chat-one.ts';
import { sendToChatTwo } from './chat-two.ts';
import { sendByEmail } from './email.ts';
import { sendToWebhook } from './webhook.ts';

export interface ChannelDeps {
  /** Makes all outbound requests. */
  sender: Sender;
  mail: MailSettings;
  /** The time limit of one request to a service, from DNS to the end of the response. */
  timeLimitMs: number;
}

/**
 * Returns the function that sends messages to destinations of every type (docs/notifications.md). It never rejects: a
 * service's response, or the lack of one, is in its result.
 */
export function createChannels(deps: ChannelDeps): SendNotice {
  return async (settings, notice, nowMs) => {
    const startedMs = performance.now();
    try {
      return await sendThrough({ ...deps, nowMs }, settings, notice);
    } catch (error) {
      // A bug in the gateway or a library. The error's message may contain event data, so only its name is shown.
      const durationMs = Math.round(performance.now() - startedMs);
      return notSent('message_error', `the message could not be made: ${reasonOf(error)}`, { durationMs });
    }
  };
}

async function sendThrough(
  deps: ChannelDeps & { nowMs: () => number },
  settings: DestinationSettings,
  notice: Notice,
): Promise<Said> {
  switch (settings.destination_type) {
    case 'webhook':
      // Webhook destinations get a message for every event and incident, so that programs can rely on it.
      if (notice.kind === 'summary') throw new TypeError('webhooks get no summaries');
      return sendToWebhook(deps, settings.config, notice);
    case 'chat_one':
      return sendToChatOne(deps, settings.config, notice);
    case 'chat_two':
      return sendToChatTwo(deps, settings.config, notice);
    case 'email':
      return sendByEmail(deps, deps.mail, settings.config, notice);
    default:
      return settings satisfies never;
  }
}
