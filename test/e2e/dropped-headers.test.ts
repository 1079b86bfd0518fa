import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Consumer, startConsumer } from '../support/consumer.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { rawRequest } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

let consumer: Consumer;
const gateway = useGateway({ delaysMs: slowDelaysMs, droppedHeaders: ['X-User', 'x-internal-*'] });
beforeEach(async () => {
  consumer = await startConsumer();
});
afterEach(() => consumer.close());

const ofProxies: [string, string][] = [
  ['Forwarded', 'for=192.0.2.1;proto=https'],
  ['X-Forwarded-For', '192.0.2.1'],
  ['x_forwarded_for', '192.0.2.2'],
  ['X.Forwarded.Host', 'admin.example'],
  ['X-Real-IP', '192.0.2.3'],
  ['Remote-User', 'root'],
  ['REMOTE_USER', 'root'],
  ['X-Remote-Group', 'system:masters'],
  ['X-Client-Cert', 'MIIB'],
  ['X-Http-Method-Override', 'DELETE'],
  ['Proxy', 'http://192.0.2.4'],
  ['X_Webhook_Attempt', '99'],
  ['webhook_signature', 'v1,forged'],
];
const ofUs: [string, string][] = [
  ['X-User', 'ann'],
  ['X_INTERNAL_ROLE', 'admin'],
];
const kept: [string, string][] = [
  ['X-GitHub-Event', 'push'],
  ['X-Shop_Id', '7'],
];

test('headers that proxies set are stored with the event but not delivered', async () => {
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const originalUrl: [string, string] = ['X-Original-Url', 'https://chat.example/in?key=very-secret&a=1'];
  const body = '{"id":"proxied"}';
  const sent = [...ofProxies, ...ofUs, ...kept, originalUrl];
  const own = ['Host', new URL(gateway.baseUrl).host, 'Content-Length', String(body.length)];
  const path = `/generic/${account.account_slug}`;
  const answer = await rawRequest(gateway.baseUrl, { path, headers: [...own, ...sent.flat()], body });
  expect(answer.status).toBe(202);

  const { rawHeaders } = await until('the delivery', () => consumer.deliveries[0]);
  const arrived = rawHeaders.filter((_, index) => index % 2 === 0);
  for (const [name] of [...ofProxies, ...ofUs]) expect(arrived).not.toContain(name);
  expect(rawHeaders.join('\n')).not.toMatch(/192\.0\.2\.|root|forged|very-secret/);
  for (const header of kept) expect(rawHeaders.join('\n')).toContain(header.join('\n'));
  expect(rawHeaders.filter((text) => /^x.webhook.attempt$/i.test(text))).toEqual(['x-webhook-attempt']);

  const event = await gateway.admin.event(String(answer.body.id));
  const stored = JSON.stringify(event.headers);
  for (const [name, value] of [...ofProxies, ...ofUs, ...kept]) {
    expect(stored.toLowerCase()).toContain(name.toLowerCase());
    expect(stored).toContain(value);
  }
  expect(stored).toContain('key=[masked]');
  expect(stored).not.toContain('very-secret');
});

test('X-Original-Url is delivered to the consumer', async () => {
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const body = '{"id":"original"}';
  const own = ['Host', new URL(gateway.baseUrl).host, 'Content-Length', String(body.length)];
  const headers = [...own, 'X-Original-Url', 'https://chat.example/in?a=1'];
  await rawRequest(gateway.baseUrl, { path: `/generic/${account.account_slug}`, headers, body });
  const delivery = await until('the delivery', () => consumer.deliveries[0]);
  expect(delivery.headers['x-original-url']).toBe('https://chat.example/in?a=1');
});
