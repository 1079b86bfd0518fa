import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Delivery, startConsumer } from '../support/consumer.ts';

export interface DemoConsumer {
  url: string;
  /** The `delivery_secret` for accounts. */
  secret: string;
  /** The number of deliveries with a valid signature, by `webhook-id`. */
  verified: Map<string, number>;
  /** The number of deliveries with an invalid signature, which were refused. */
  forged: number;
  close(): Promise<void>;
}

/**
 * Starts an exemplary consumer, which checks the signature first. `failures` returns the statuses of the answers to the
 * first deliveries of a body.
 */
export async function startDemoConsumer(failures: (body: Buffer) => readonly number[]): Promise<DemoConsumer> {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const webhook = new Webhook(secret);
  const genuine = ({ headers, body }: Delivery) => {
    const text = (name: string) => String(headers[name] ?? '');
    try {
      webhook.verify(
        body,
        {
          'webhook-id': text('webhook-id'),
          'webhook-timestamp': text('webhook-timestamp'),
          'webhook-signature': text('webhook-signature'),
        },
        // A webhook need not be JSON.
        { jsonParse: false },
      );
      return true;
    } catch {
      return false;
    }
  };
  const consumer: DemoConsumer = { url: '', secret, verified: new Map(), forged: 0, close: async () => undefined };
  const server = await startConsumer((response, delivery) => {
    if (!genuine(delivery)) {
      consumer.forged++;
      response.writeHead(401).end();
      return;
    }
    const id = String(delivery.headers['webhook-id']);
    const before = consumer.verified.get(id) ?? 0;
    consumer.verified.set(id, before + 1);
    response.writeHead(failures(delivery.body)[before] ?? 200).end();
  });
  return Object.assign(consumer, { url: server.url, close: server.close });
}
