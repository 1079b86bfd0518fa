// npm install fastify
// DELIVERY_SECRETS='whsec_…' DATABASE=shop.db PORT=3000 node fastify.ts
import fastify from 'fastify';
import { readFields } from './events.ts';
import { Shop } from './shop.ts';
import { isSigned } from './signature.ts';

/** One secret, or the old and the new one during a rotation, with a space between them. */
const secrets = (process.env.DELIVERY_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
if (secrets.length === 0) throw new Error('Set DELIVERY_SECRETS to the delivery_secret of the account.');
const shop = new Shop(process.env.DATABASE ?? 'shop.db');

const app = fastify({ bodyLimit: 1024 * 1024 }); // MAX_PAYLOAD_BYTES of the gateway

// The bytes of every content type, because the signature is of the bytes. To keep JSON elsewhere, do this in a plugin.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

app.post<{ Body: Buffer | undefined }>('/hooks', (request, reply) => {
  // There is no content type parser for an empty body.
  const body = request.body ?? Buffer.alloc(0);
  if (!isSigned(body, request.headers, secrets)) return reply.code(401).send();
  const event = readFields(request.headers['content-type'], body);
  if (event === null) return reply.code(415).send();
  // If it throws, Fastify answers 500, and the gateway makes another attempt.
  shop.processOnce(String(request.headers['webhook-id']), event);
  return reply.code(204).send();
});

console.log(`listening on ${await app.listen({ port: Number(process.env.PORT ?? 3000) })}/hooks`);
