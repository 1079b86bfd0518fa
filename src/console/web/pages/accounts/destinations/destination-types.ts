import type { Treaty } from '@elysia/eden';
import type { api } from '../../../api/client.ts';

type Routes = ReturnType<(typeof api)['accounts']>['destinations'];

/** Where messages about exhausted events and incidents of an account go. */
export type Destination = Treaty.Data<Routes['get']>[number];
export type DestinationType = Destination['destination_type'];
export type NewDestination = Parameters<Routes['post']>[0];
export type DestinationChange = Parameters<ReturnType<Routes>['patch']>[0];

/** What users call the types. Slack and Discord stand for all services that accept their messages. */
export const typeNames: Record<DestinationType, string> = {
  webhook: 'Webhook',
  email: 'E-mail',
  chat_one: 'Slack',
  chat_two: 'Discord',
};

/** Where the messages of a destination go, as the API shows it. */
export function targetOf({ config }: Destination): string {
  if ('url' in config) return config.url;
  if ('webhook_url' in config) return config.webhook_url;
  return config.addresses.join(', ');
}

/** What is configured besides the target. */
export function extraOf({ config }: Destination): string | null {
  if ('url' in config) return config.has_secret ? 'signed' : 'not signed';
  if ('addresses' in config) return config.include_payload ? 'with payload' : null;
  return null;
}
