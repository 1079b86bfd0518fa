import { verifyAsync } from '@noble/ed25519';
import { Webhook } from 'standardwebhooks';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import type { Delivery } from '../support/consumer.ts';
import type { TestGateway } from '../support/gateway.ts';
import { consumersOf } from './support.ts';

/** The secrets that sign deliveries: the two of an account, and that of a consumer other than `default`. */
export const outboundSecrets = ['delivery_secret', 'project_delivery_secret', 'secret'] as const;
export type OutboundSecret = (typeof outboundSecrets)[number];

/** The account, or the consumer of an account, that has this secret. Its deliveries go to `url`. */
export async function ownerOf(
  gateway: Pick<TestGateway, 'admin' | 'database' | 'keyring' | 'rows'>,
  field: OutboundSecret,
  secret: string | null,
  url = 'https://receiver.test/hook',
) {
  const { admin, keyring } = gateway;
  const isConsumer = field === 'secret';
  const addresses = { delivery_secret: 'delivery_url', project_delivery_secret: 'project_delivery_url' };
  const account = await admin.createAccount(isConsumer ? {} : { [addresses[field]]: url, [field]: secret });
  const consumers = consumersOf(gateway, account.id);
  const id: string = isConsumer ? (await consumers.made('billing', { url, secret })).id : account.id;
  const path = isConsumer ? `${consumers.base}/billing` : `/admin/accounts/${account.id}`;
  const endField = `${field}_previous_expires_at`;
  const box = createSecretBox(keyring);
  const place = { accountId: id, field: 'consumer_sealed_options' };
  const owner = {
    ...{ account, consumers, id, endField },
    name: isConsumer ? 'billing' : 'default',
    patch: (change: object) => admin.request('PATCH', path, change),
    rotate: (fresh: string, more: object = {}) => owner.patch({ [field]: fresh, rotate: true, ...more }),
    /** The end that is shown. */
    end: async () => (await admin.request('GET', path)).body[endField],
    /** What is stored in clear text: the current secret, and the secret settings. */
    async stored() {
      const [row] = isConsumer
        ? await gateway.rows('select secret as box from consumers where id = $1', [id])
        : await gateway.rows(`select ${field} as box from accounts where id = $1`, [id]);
      const [settings] = await gateway.rows('select sealed_options as box from consumers where id = $1', [id]);
      const current = row?.box
        ? box.open(row.box, { accountId: id, field: isConsumer ? 'consumer_secret' : field })
        : null;
      const opened = settings?.box ? box.open(settings.box, place) : null;
      return { current, settings: opened === null ? {} : JSON.parse(opened) };
    },
    /** The stored previous secret, also after its end; undefined: there is none. */
    previous: async () => (await owner.stored()).settings.previous?.[field]?.secret,
    /** As if the end of the previous secret had come. */
    async expire() {
      const { settings } = await owner.stored();
      settings.previous[field].expiresAt = new Date(Date.now() - 1).toISOString();
      const sealed = Buffer.from(box.seal(JSON.stringify(settings), place));
      await gateway.rows('update consumers set sealed_options = $2 where id = $1', [id, sealed]);
    },
  };
  return owner;
}

export const hoursAhead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

export const signaturesIn = ({ headers }: Pick<Delivery, 'headers'>): string[] =>
  String(headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((text) => text !== '');

const given = (delivery: Delivery) =>
  Object.fromEntries(Object.entries(delivery.headers).map(([name, value]) => [name, String(value)]));

/** Whether a receiver with this secret accepts a delivery: with the library of Standard Webhooks. */
export function accepts(secret: string, delivery: Delivery): boolean {
  const key = secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });
  try {
    key.verify(delivery.body, given(delivery), { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

/** Whether a receiver with this public key accepts a delivery: with another implementation of Ed25519 than the gateway's. */
export async function acceptsKey(publicKey: string, delivery: Delivery): Promise<boolean> {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = given(delivery);
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), delivery.body]);
  const [signature, ...others] = signaturesIn(delivery);
  if (signature === undefined || others.length > 0 || !signature.startsWith('v1a,')) return false;
  const key = Buffer.from(publicKey.slice('whpk_'.length), 'base64');
  return verifyAsync(Buffer.from(signature.slice('v1a,'.length), 'base64'), signed, key);
}
