import { type Consumer, startConsumer } from '../consumer.ts';
import { secretInUrl, secretWhsec } from '../secrets.ts';
import { startDiscord } from './discord.ts';
import { startSendGrid } from './sendgrid.ts';
import { startSlack } from './slack.ts';

export const hookSecret = secretWhsec('hook');
/** Secret parts of each receiver's URL or header, which must not be in records or histories. */
export const hookPath = `/path-of-the-hook/${secretInUrl('hook')}`;
export const mailAddress = 'on-call@ops.example';

export interface Destination {
  destination_type: 'webhook' | 'email' | 'chat_one' | 'chat_two';
  name: string;
  config: Record<string, unknown>;
  condition?: string;
  enabled?: boolean;
  position?: number;
}

/** Starts all four receivers on loopback. */
export async function startReceivers() {
  const [hook, mail, slack, discord] = await Promise.all([
    startConsumer(200),
    startSendGrid(),
    startSlack(),
    startDiscord(),
  ]);
  const services = [mail, slack, discord];
  const lists = [hook.deliveries, slack.commands, discord.mentions];
  /** A destination of each kind in the form of the admin API. */
  const destinations: [webhook: Destination, email: Destination, chatOne: Destination, chatTwo: Destination] = [
    webhookTo(hook, hookPath, { name: 'Hook', config: { url: at(hook, hookPath), secret: hookSecret } }),
    { destination_type: 'email', name: 'Mail', config: { addresses: [mailAddress] } },
    { destination_type: 'chat_one', name: 'Chat one', config: { webhook_url: slack.url } },
    { destination_type: 'chat_two', name: 'Chat two', config: { webhook_url: discord.url } },
  ];
  return {
    ...{ hook, mail, slack, discord, destinations },
    /** The settings with which a gateway sends e-mail to `mail`. */
    mailSettings: {
      from: 'gateway@gateway.example',
      sendgrid: { apiKey: mail.apiKey, baseUrl: mail.origin },
      outboxDir: null,
    },
    /** The faults of the messages. Tests expect none. */
    complaints: () => [
      ...services.flatMap(({ violations }) => violations),
      ...[...slack.commands, ...discord.mentions].map((said) => `${said} was not escaped`),
    ],
    /** The number of messages that each service accepted, and that the webhook received. */
    counts: () => ({
      webhook: hook.deliveries.length,
      email: mail.messages.length,
      chat_one: slack.messages.length,
      chat_two: discord.messages.length,
    }),
    /** Resets answers and recorded messages, after each test. */
    clear() {
      hook.replies = [200];
      for (const list of lists) list.length = 0;
      for (const service of services) {
        for (const list of [service.requests, service.messages, service.violations, service.faults]) list.length = 0;
        service.outage = null;
      }
    },
    async close() {
      await Promise.all([hook, ...services].map((one) => one.close()));
    },
  };
}

const at = (hook: Consumer, path: string) => new URL(path, hook.url).href;

/** A webhook destination at a path of a consumer, without a secret unless `more` has one. */
export function webhookTo(hook: Consumer, path: string, more: Partial<Destination> = {}): Destination {
  return { destination_type: 'webhook', name: `Hook ${path}`, config: { url: at(hook, path) }, ...more };
}
