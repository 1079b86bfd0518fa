import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import type { MailSettings } from '../../src/notifications/settings.ts';
import { entriesOf } from './audit.ts';
import { type Consumer, type Reply, startConsumer } from './consumer.ts';
import { type Create, destinationClient } from './destination-client.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { secretInUrl, secretText } from './secrets.ts';
import { useForAll } from './use.ts';

export const mailFrom = 'gateway@gateway.test';
export const apiKey = `SG.${secretText('very-secret-key')}`;

export const hookTo = (url: string, more: object = {}) =>
  ({ destination_type: 'webhook', name: 'Hook', config: { url, ...more } }) satisfies Create;
export const mailTo = (include_payload = false) =>
  ({
    ...{ destination_type: 'email' as const, name: 'Mail' },
    config: { addresses: ['on-call@ops.test'], include_payload },
  }) satisfies Create;

/** Destinations of the types that post to one URL, for a service at this port. */
export const posts = {
  webhook: (port: number) =>
    hookTo(`http://127.0.0.1:${port}/${secretInUrl('very-secret-path')}?sig=${secretInUrl('very-secret-sig')}`),
  chat_one: (port: number) => ({
    ...{ destination_type: 'chat_one' as const, name: 'Chat' },
    config: { webhook_url: `http://127.0.0.1:${port}/services/T1/B1/${secretInUrl('very-secret-token')}` },
  }),
  chat_two: (port: number) => ({
    ...{ destination_type: 'chat_two' as const, name: 'Chat' },
    config: { webhook_url: `http://127.0.0.1:${port}/api/webhooks/12/${secretInUrl('very-secret-token')}` },
  }),
} satisfies Record<string, (port: number) => Create>;
export const kinds = ['webhook', 'chat_one', 'chat_two'] as const;

/**
 * Gateways for the tests of one file: one with a mail service, one with an outbox, and one without e-mail. They start
 * and stop with the file.
 */
export function destinationTests() {
  const outboxDir = mkdtempSync(join(tmpdir(), 'outbox-'));
  afterAll(() => rmSync(outboxDir, { recursive: true }));
  const consumers: Consumer[] = [];
  const mailService = useForAll(
    () => startConsumer(202),
    (consumer) => consumer.close(),
  );
  const gatewayWith = (mail: () => Omit<MailSettings, 'from'>) =>
    useForAll(
      () => startGateway({ worker: false, mail: { from: mailFrom, ...mail() } }),
      (gateway) => gateway.stop(),
    );
  afterEach(async () => {
    mailService.deliveries.splice(0);
    mailService.replies = [202];
    await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
  });

  return {
    withKey: gatewayWith(() => ({
      sendgrid: { apiKey, baseUrl: `http://127.0.0.1:${mailService.port}` },
      outboxDir,
    })),
    withOutbox: gatewayWith(() => ({ sendgrid: null, outboxDir })),
    withoutMail: gatewayWith(() => ({ sendgrid: null, outboxDir: null })),
    /** The fake of SendGrid. */
    mailService,
    async service(...replies: Reply[]): Promise<Consumer> {
      const consumer = await startConsumer(...replies);
      consumers.push(consumer);
      return consumer;
    },
    /** Creates an account with a destination and sends it a test message. */
    async tryOut(gateway: TestGateway, body: Create) {
      const client = destinationClient(gateway);
      const account = await gateway.admin.createAccount({ app_key: 'my-app' });
      const { id: destination_id } = await client.create(account.id, body);
      const answer = await client.at(account.id)({ destination_id }).test.post();
      const entries = await entriesOf(gateway.database, destination_id, 'destination.test');
      expect(entries).toHaveLength(1);
      return { account, destination_id, answer, details: entries[0]?.details };
    },
  };
}
