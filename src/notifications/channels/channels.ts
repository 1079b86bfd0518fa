import { reasonOf } from '../../delivery/failure.ts';
import type { Sender } from '../../delivery/send.ts';
import type { DestinationSettings } from '../../destinations/destination-config.ts';
import type { Notice, Said, SendNotice } from '../notice.ts';
import type { MailSettings } from '../settings.ts';
import { sendToChatOne } from './chat-one.ts';
import { sendToChatTwo } from './chat-two.ts';
import { sendByEmail } from './email.ts';
import { sendToWebhook } from './webhook.ts';

export interface ChannelDeps {
  /** Everything that leaves the machine goes through it. */
  sender: Sender;
  mail: MailSettings;
  /** For one request to a service, everything included. */
  timeLimitMs: number;
}

/**
 * Makes what hands messages to destinations of every type (docs/notifications.md). What services answer, or that
 * they do not, is in what it tells; it never rejects.
 */
export function createChannels(deps: ChannelDeps): SendNotice {
  return async (settings, notice) => {
    const startedMs = performance.now();
    try {
      return await sendThrough(deps, settings, notice);
    } catch (error) {
      // A bug of ours or of a library. Its message may hold what the event holds, so its name has to do.
      return {
        ok: false,
        outcome: 'message_error',
        error: `the message could not be made: ${reasonOf(error)}`,
        ...{ responseCode: null, responseBody: null, retryAfterMs: null, permanent: false },
        durationMs: Math.round(performance.now() - startedMs),
      };
    }
  };
}

async function sendThrough(deps: ChannelDeps, settings: DestinationSettings, notice: Notice): Promise<Said> {
  switch (settings.destination_type) {
    case 'webhook':
      // Programs are told of every event, so that they can count on it.
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
