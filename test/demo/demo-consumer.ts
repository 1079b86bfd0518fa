import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Delivery, startConsumer } from '../support/consumer.ts';

export interface DemoConsumer {
  url: string;
  /** What accounts get as their `delivery_secret`. */
  secret: string;
  /** Deliveries whose signature was right, by `webhook-id`. */
  verified: Map<string, number>;
  /** Deliveries that were refused for their signature. */
  forged: number;
  close(): Promise<void>;
}

/**
 * A consumer as one should be: it checks the signature before it believes anything. `failures` says with which answers it
 * fails the first deliveries of a body.
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
        // Not every webhook is JSON.
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
