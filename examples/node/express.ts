// npm install express
// DELIVERY_SECRETS='whsec_…' DATABASE=shop.db PORT=3000 node express.ts
import type { AddressInfo } from 'node:net';
import express from 'express';
import { readFields } from './events.ts';
import { Shop } from './shop.ts';
import { isSigned } from './signature.ts';

/** One secret, or the old and the new one during a rotation, with a space between them. */
const secrets = (process.env.DELIVERY_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
if (secrets.length === 0) throw new Error('Set DELIVERY_SECRETS to the delivery_secret of the account.');
const shop = new Shop(process.env.DATABASE ?? 'shop.db');

const app = express();

// The bytes of every content type, because the signature is of the bytes. No express.json() may come before it.
// MAX_PAYLOAD_BYTES of the gateway is 1 MiB; the default here is 100 KiB.
const rawBody = express.raw({ type: () => true, limit: '1mb', inflate: false });

app.post('/hooks', rawBody, (request, response) => {
  // An empty body leaves `request.body` undefined.
  const body: Buffer = request.body ?? Buffer.alloc(0);
  if (!isSigned(body, request.headers, secrets)) return response.sendStatus(401);
  const event = readFields(request.headers['content-type'], body);
  if (event === null) return response.sendStatus(415);
  // If it throws, Express answers 500, and the gateway makes another attempt.
  shop.processOnce(String(request.headers['webhook-id']), event);
  return response.sendStatus(204);
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
});
