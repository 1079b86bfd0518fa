import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { readStoredState } from '../../src/roles/gateway-state.ts';
import { consumersOf } from '../consumers/support.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import { listenForTest } from '../support/listen-for-test.ts';
import { secretText } from '../support/secrets.ts';
import { useStage } from '../support/situations.ts';
import { newAuthority } from '../support/tls/certificates.ts';

// Consumers that demand a client certificate, and whose own is of a private authority (docs/several-consumers.md#client-certificates).

const stage = useStage({ delaysMs: instantDelaysMs });
const authority = await newAuthority();

/** A server that accepts only clients with a certificate of the authority. */
async function demanding() {
  const clients: string[] = [];
  const certificate = await authority.issue({ addresses: ['127.0.0.1'] });
  const server = createServer({ ...certificate, ca: authority.cert, requestCert: true }, (request, response) => {
    clients.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
    response.end('accepted');
  });
  const port = await listenForTest(server);
  return { url: `https://127.0.0.1:${port}/hook`, clients };
}

async function settled(account: { provider: string; account_slug: string }, id = 1) {
  const { body } = await stage.gateway.send(account, JSON.stringify({ id }));
  return stage.gateway.admin.eventually(body.id, (e) => e.delivery_status !== 'pending');
}

test('a delivery presents the certificate, and trusts the private authority', async () => {
  const { url, clients } = await demanding();
  const { cert: certificate, key: pem } = await authority.issue({ commonName: 'gateway.test' });
  // Text before the key belongs to its file. It is a marker that all that gateways write is searched for.
  const key = `${secretText('private-key')}\n${pem}`;
  const account = await stage.gateway.admin.createAccount({});
  const consumers = consumersOf(stage.gateway, account.id);
  const fields = { url, ca: authority.cert, authentication: { type: 'mtls', certificate, key } };
  const consumer = await consumers.made('billing', fields);
  expect(consumer).toMatchObject({ ca: authority.cert });
  expect(consumer.authentication).toEqual({
    ...{ type: 'mtls', certificate, subject: 'CN=gateway.test' },
    expires_at: expect.stringMatching(/^\d{4}-/),
  });
  expect((await settled(account)).delivery_status).toBe('delivered');
  expect(clients).toEqual(['gateway.test']);
  const line = pem.split('\n')[1] ?? '';
  expect(line.length).toBeGreaterThan(30);
  for (const shown of [await consumers.get('billing'), await consumers.list()])
    expect(JSON.stringify(shown)).not.toContain(line);
  const columns = await stage.gateway.rows('select consumers::text as row from consumers where account_id = $1', [
    account.id,
  ]);
  expect(columns).toHaveLength(1);
  expect(JSON.stringify(columns)).not.toContain(line);
});

test('without its certificate or its authority, an attempt fails in TLS, and a test delivery says so', async () => {
  const { url, clients } = await demanding();
  const account = await stage.gateway.admin.createAccount({ delivery_url: url });
  const { cert: certificate, key } = await authority.issue({ commonName: 'gateway.test' });
  const consumers = consumersOf(stage.gateway, account.id);
  expect(await settled(account)).toMatchObject({ delivery_status: 'failed', response_code: null });
  await consumers.patch('default', { ca: authority.cert });
  const event = await settled(account, 2);
  expect(event.delivery_history[0].outcome).toMatch(/^(tls_error|connection_error)$/);
  const test = await stage.gateway.admin.post(`/admin/accounts/${account.id}/test-delivery`, {});
  expect(test.status).toBe(502);
  expect(clients).toEqual([]);
  // Set alone: the authority stays.
  expect((await consumers.patch('default', { authentication: { type: 'mtls', certificate, key } })).status).toBe(200);
  expect((await settled(account, 3)).delivery_status).toBe('delivered');
  await consumers.patch('default', { authentication: null });
  expect((await settled(account, 4)).delivery_status).toBe('failed');
  expect(clients).toEqual(['gateway.test']);
});

test('the metrics have the earliest end of all certificates', async () => {
  const { cert: certificate, key } = await authority.issue({ commonName: 'gateway.test' });
  const account = await stage.gateway.admin.createAccount({});
  await consumersOf(stage.gateway, account.id).made('billing', { authentication: { type: 'mtls', certificate, key } });
  const [row] = await stage.gateway.rows(
    'select min(certificate_expires_at) as first from consumers where deleted_at is null',
  );
  const { certificateEndS } = await readStoredState(stage.gateway.database);
  expect(new Date(Number(certificateEndS) * 1000)).toEqual(row?.first);
});
