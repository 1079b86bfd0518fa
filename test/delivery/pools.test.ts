import https from 'node:https';
import { expect, test } from 'vitest';
import { listenForTest } from '../support/listen-for-test.ts';
import { newAuthority } from '../support/tls/certificates.ts';
import { hook, sender } from './servers.ts';

async function demanding(authority: Awaited<ReturnType<typeof newAuthority>>) {
  const certificate = await authority.issue({ addresses: ['127.0.0.1'] });
  const subjects: string[] = [];
  const server = https.createServer({ ...certificate, ca: authority.cert, requestCert: true }, (request, response) => {
    const { socket } = request as unknown as { socket: import('node:tls').TLSSocket };
    subjects.push(String(socket.getPeerCertificate().subject?.CN));
    response.end();
  });
  return { url: `https://127.0.0.1:${await listenForTest(server)}/hook`, subjects };
}

test('consumers with different certificates never share a connection', async () => {
  const authority = await newAuthority();
  const { url, subjects } = await demanding(authority);
  const own = sender();
  const settings = await Promise.all(
    ['one', 'two'].map(async (commonName) => {
      const { cert, key } = await authority.issue({ commonName });
      return { key: commonName, ca: authority.cert, certificate: cert, privateKey: key };
    }),
  );
  for (const tls of [...settings, ...settings, ...settings]) {
    const result = await own.post(hook(url, { tls }));
    expect(result).toMatchObject({ outcome: 'delivered', responseCode: 200 });
  }
  expect(subjects).toEqual(['one', 'two', 'one', 'two', 'one', 'two']);
});

test('an authority is trusted by its consumer only, and alone', async () => {
  const [authority, other] = [await newAuthority('trusted'), await newAuthority('other')];
  const { url } = await demanding(authority);
  const { cert, key } = await authority.issue({ commonName: 'one' });
  const own = sender();
  const trusted = { key: 'a', ca: authority.cert, certificate: cert, privateKey: key };
  expect(await own.post(hook(url, { tls: trusted }))).toMatchObject({ outcome: 'delivered' });
  expect(await own.post(hook(url))).toMatchObject({ outcome: 'tls_error' });
  expect(await own.post(hook(url, { tls: { key: 'b', ca: other.cert } }))).toMatchObject({ outcome: 'tls_error' });
});

test('settings that OpenSSL refuses are a failure of TLS', async () => {
  const result = await sender().post(
    hook('https://127.0.0.1:9/', { tls: { key: 'x', certificate: 'none', privateKey: 'none' } }),
  );
  expect(result).toMatchObject({ outcome: 'tls_error', error: expect.stringContaining('cannot be used') });
});
