import type { AdminClient } from '../admin-client.ts';
import { send } from '../admin-client.ts';
import type { Consumer, Reply } from '../consumer.ts';
import type { Stage } from '../situations.ts';
import { rows } from '../stored.ts';
import { until } from '../until.ts';
import type { DiscordMessage } from './discord-schema.ts';
import type { Destination } from './receivers.ts';
import type { SentMail } from './sendgrid-schema.ts';
import { stringsIn } from './service.ts';
import type { SlackMessage } from './slack-schema.ts';

export interface Notification {
  destination_id: string;
  name: string;
  destination_type: Destination['destination_type'];
  generation: number;
  status: 'pending' | 'sent' | 'failed' | 'suppressed';
  attempts: number;
  error: string | null;
  sent_at: string | null;
}

export interface Situation {
  account: { id: string; provider: string; account_slug: string; app_key: string };
  consumer: Consumer;
  /** Ids of the destinations, in the order in which they were given. */
  ids: string[];
}

/** Adds a destination to an account and returns its id. */
export async function addDestination(admin: AdminClient, accountId: string, destination: Destination): Promise<string> {
  const created = await admin.post(`/admin/accounts/${accountId}/destinations`, destination);
  if (created.status !== 201) throw new Error(`no destination: ${JSON.stringify(created.body)}`);
  return created.body.id;
}

/** Creates an account with these destinations. Its consumer answers with `replies`, by default never with 2xx. */
export async function accountWith(
  stage: Stage,
  destinations: Destination[],
  replies: Reply[] = [500],
): Promise<Situation> {
  const consumer = await stage.consumer(...replies);
  const account = await stage.gateway.admin.createAccount({ delivery_url: consumer.url });
  const ids: string[] = [];
  for (const [position, destination] of destinations.entries())
    ids.push(await addDestination(stage.gateway.admin, account.id, { position, ...destination }));
  return { account, consumer, ids };
}

/** Sends one webhook and returns the event's id. */
export async function sendEvent(
  stage: Stage,
  { account }: Situation,
  body: Parameters<typeof send>[2] = '{"id":"one","type":"order.created"}',
  headers?: Record<string, string>,
): Promise<string> {
  const answer = await send(stage.gateway.baseUrl, account, body, headers);
  if (answer.status !== 202) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

/** Waits until the event's generation has failed and `count` notifications of all generations are settled. */
export async function notified(stage: Stage, id: string, count: number, limitMs?: number) {
  // A notification changes several times. Polling its row is cheaper than reading the event.
  await until(
    `${count} notifications are settled`,
    async () => {
      const [row] = await rows(
        stage.gateway.database,
        `select count(*)::integer as known, (count(*) filter (where status <> 'pending'))::integer as settled
         from notifications where event_id = $1`,
        [id],
      );
      return row?.known === count && row.settled === count;
    },
    limitMs,
  );
  return stage.gateway.admin.eventually(
    id,
    (event) =>
      event.delivery_status === 'failed' &&
      event.notifications.length === count &&
      event.notifications.every((one: Notification) => one.status !== 'pending'),
    limitMs,
  );
}

/** Each notification as `<generation> <type> <status> <attempts>`, sorted. */
export const summarised = (event: { notifications: Notification[] }): string[] =>
  event.notifications.map((n) => `${n.generation} ${n.destination_type} ${n.status} ${n.attempts}`).toSorted();

const sent = (generation: number) =>
  ['chat_one', 'chat_two', 'email', 'webhook'].map((type) => `${generation} ${type} sent 1`);

/** The result of `summarised` when all four kinds are sent at the first try. */
export const allSent = sent(0);
export const allSentAgain = [...sent(0), ...sent(1)];

/** The text that users read in Slack. */
export const shownBySlack = (message: SlackMessage | undefined): string =>
  unescaped(
    stringsIn(message)
      .map(({ text }) => text)
      .join('\n'),
  );

/** The text that users read in Discord, which hides a backslash before punctuation. */
export const shownByDiscord = (message: DiscordMessage | undefined): string =>
  stringsIn(message)
    .map(({ text }) => text.replaceAll(/\\([^\w\s])/g, '$1'))
    .join('\n');

/** The subject, text and HTML that users read in a mail. */
export function shownByMail(mail: SentMail | undefined): { subject: string; text: string; html: string; raw: string } {
  const part = (type: string) => mail?.content.find((one) => one.type === type)?.value ?? '';
  const html = part('text/html');
  return { subject: mail?.subject ?? '', text: part('text/plain'), html: unescaped(html), raw: html };
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' };
const unescaped = (text: string) =>
  text.replaceAll(/&(lt|gt|quot|#39|#x27|amp);/g, (_, name: string) => entities[name] ?? '');
