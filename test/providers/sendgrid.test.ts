import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { EventWebhook } from '@sendgrid/eventwebhook';
import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { readProviderConfig } from '../../src/providers/registry.ts';
import { sendgrid } from '../../src/providers/sendgrid.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { messageOf } from '../support/providers/request.ts';
import { sendgrid as sample } from '../support/providers/sendgrid.ts';
import { receivedAt, requestOf } from './request.ts';

const config = { tolerance_seconds: 300 };
const ok = { ok: true };
const refused = (reason: string) => expect.objectContaining({ ok: false, reason });
const headersOf = (signature: string, timestamp: string): Header[] => [
  ['X-Twilio-Email-Event-Webhook-Signature', signature],
  ['X-Twilio-Email-Event-Webhook-Timestamp', timestamp],
];
const verdict = (
  headers: Header[],
  body: string | Uint8Array,
  key: string,
  {
    at = receivedAt,
    previous = null,
    given = config as object,
  }: { at?: Date; previous?: string | null; given?: object } = {},
) =>
  verifyInbound(
    sendgrid,
    { skip: false, current: key, previous, config: readProviderConfig('sendgrid', given) },
    requestOf({ headers, body, at }),
  );

const base64 = (publicKey: KeyObject) => publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

/** Whether SendGrid's library verifies the signature. */
function libraryVerifies(key: string, body: string | Uint8Array, signature: string, timestamp: string): boolean {
  const library = new EventWebhook();
  return library.verifySignature(library.convertPublicKeyToECDSA(key), Buffer.from(body), signature, timestamp);
}

// https://github.com/sendgrid/sendgrid-nodejs/blob/main/packages/eventwebhook/src/eventwebhook.spec.js
const published = {
  key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
  otherKey:
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqTxd43gyp8IOEto2LdIfjRQrIbsd4SXZkLW6jDutdhXSJCWHw8REntlo7aNDthvj+y7GjUuFDb/R1NGe1OPzpA==',
  signature: 'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
  otherSignature: 'MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH3j/0=',
  timestamp: '1600112502',
  body: `${JSON.stringify([
    {
      email: 'hello@world.com',
      event: 'dropped',
      reason: 'Bounced Address',
      sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
      sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
      'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
      timestamp: 1600112492,
    },
  ])}\r\n`,
};
const publishedBatch = {
  key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQ4LIFtWztlsF7skFqOncjD1lun4H5w8XOhyOArHW9RcIx/FfEzx6cikC/yPfUvwaX/JScE7Fc9CJD2afQ9Ok3Q==',
  signature: 'MEYCIQC/I4o6vCgqRYrTljjoVWB/GRWNtxeePlLMHr3x9ETeRQIhAIpV+03nREPTTHWSW0wIOA0EoMPdcNgXa70yCaqDJlu5',
  timestamp: '1619651159',
  body: `${JSON.stringify([
    {
      email: 'invalid@gmail.com',
      event: 'processed',
      send_at: 0,
      sg_event_id: 'cHJvY2Vzc2VkLTE5OTQyMTEyLXFOd0JMZ1BRUWpXNkRKdktRd1NBYnctMA',
      sg_message_id: 'qNwBLgPQQjW6DJvKQwSAbw.filterdrecv-canary-547b64655b-cw6zx-1-6089EA4A-56.0',
      'smtp-id': '<qNwBLgPQQjW6DJvKQwSAbw@ismtpd0178p1mdw1.sendgrid.net>',
      timestamp: 1619651146,
    },
    {
      email: 'invalid@gmail.com',
      event: 'bounce',
      ip: '167.89.101.76',
      reason:
        '552 5.2.2 The email account that you tried to reach is over quota and inactive. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaPerm c17si1130468pgv.34 - gsmtp',
      sg_event_id: 'Ym91bmNlLTAtMTk5NDIxMTItcU53QkxnUFFRalc2REp2S1F3U0Fidy0w',
      sg_message_id: 'qNwBLgPQQjW6DJvKQwSAbw.filterdrecv-canary-547b64655b-cw6zx-1-6089EA4A-56.0',
      'smtp-id': '<qNwBLgPQQjW6DJvKQwSAbw@ismtpd0178p1mdw1.sendgrid.net>',
      status: '5.2.2',
      timestamp: 1619651147,
      tls: 1,
      type: 'blocked',
    },
  ])
    .split('},{')
    .join('},\r\n{')}\r\n`,
};

describe('the examples from SendGrid’s library', () => {
  const { key, otherKey, signature, otherSignature, timestamp, body } = published;
  const at = new Date(1600112502_000);
  const shown = (headers: Header[], sent = body, secret = key) => verdict(headers, sent, secret, { at });

  test('one event', () => {
    expect(shown(headersOf(signature, timestamp))).toEqual(ok);
    expect(shown(headersOf(signature, timestamp), body, otherKey)).toEqual(refused('bad_signature'));
    expect(shown(headersOf(signature, timestamp), 'payload')).toEqual(refused('bad_signature'));
    expect(shown(headersOf(otherSignature, timestamp))).toEqual(refused('bad_signature'));
    expect(shown(headersOf(signature, 'timestamp'))).toEqual(refused('bad_signature'));
    // The signature includes the line break at the end.
    expect(shown(headersOf(signature, timestamp), body.trim())).toEqual(refused('bad_signature'));
    expect(verdict(headersOf(signature, timestamp), body, otherKey, { at, previous: key })).toEqual(ok);
  });

  test('two events', () => {
    const { key, signature, timestamp, body } = publishedBatch;
    const at = new Date(Number(timestamp) * 1000);
    expect(verdict(headersOf(signature, timestamp), body, key, { at })).toEqual(ok);
    const request = requestOf({ body });
    expect(sendgrid.eventType(request, config)).toBe('mixed');
    expect(sendgrid.externalId(request, config)).toEqual({
      id: 'cHJvY2Vzc2VkLTE5OTQyMTEyLXFOd0JMZ1BRUWpXNkRKdktRd1NBYnctMA',
      own: true,
    });
  });

  test('late, but within a tolerance of a day', () => {
    const given = { tolerance_seconds: 86_400 };
    const secondsLater = (seconds: number) =>
      verdict(headersOf(signature, timestamp), body, key, { at: new Date(at.getTime() + seconds * 1000), given });
    expect(secondsLater(86_400)).toEqual(ok);
    expect(secondsLater(86_401)).toEqual(refused('stale_timestamp'));
    expect(secondsLater(-86_401)).toEqual(refused('stale_timestamp'));
  });
});

describe('signature', () => {
  const key = sample.newKey();
  const sign = async (body: string) => {
    const { headers } = await key.sign(messageOf(sample, { body, at: receivedAt }));
    return headers.map(([, value]) => value) as [signature: string, timestamp: string];
  };

  test.each([
    ['JSON', '[{"event":"open"}]'],
    ['JSON beyond ASCII', '[{"email":"zoë@例え.jp","emoji":"💶"}]'],
    ['a form', 'from=zo%C3%AB&text=hi'],
    ['nothing', ''],
  ])("agrees with SendGrid's library about %s", async (_, body) => {
    const [signature, timestamp] = await sign(body);
    for (const [sent, secret] of [
      [body, key.secret],
      [`${body} `, key.secret],
      [body, sample.newKey().secret],
    ] as const) {
      const valid = libraryVerifies(secret, sent, signature, timestamp);
      expect(valid).toBe(sent === body && secret === key.secret);
      expect(verdict(headersOf(signature, timestamp), sent, secret)).toEqual(valid ? ok : refused('bad_signature'));
    }
  });

  test('bytes that are not UTF-8 are verified unchanged', async () => {
    const body = Buffer.from([0xff, 0x00, 0xc3]);
    const { headers } = await key.sign(messageOf(sample, { body, at: receivedAt }));
    expect(verdict(headers, body, key.secret)).toEqual(ok);
    expect(verdict(headers, Buffer.from([0xfe, 0x00, 0xc3]), key.secret)).toEqual(refused('bad_signature'));
  });

  test('missing and malformed headers are refused', async () => {
    const [signature, timestamp] = await sign('[]');
    const [withSignature, withTimestamp] = headersOf(signature, timestamp) as [Header, Header];
    expect(verdict([withTimestamp], '[]', key.secret)).toEqual(refused('missing_signature'));
    expect(verdict([withSignature], '[]', key.secret)).toEqual(refused('missing_timestamp'));
    for (const other of ['?', 'ä', `${signature}?`, 'A'.repeat(100), '='])
      expect(verdict(headersOf(other, timestamp), '[]', key.secret), other).toEqual(refused('malformed_signature'));
    for (const other of ['AAAA', 'MAYCAQECAQE=', `${Buffer.from('x'.repeat(70)).toString('base64')}`])
      expect(verdict(headersOf(other, timestamp), '[]', key.secret), other).toEqual(refused('bad_signature'));
  });

  test.each(['soon', '1772366400.5', '1772366400123', '-1', ' 1', 'ä', '9'.repeat(400)])(
    'a signed time that is invalid: %s',
    (timestamp) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
      const signature = createSign('sha256').update(timestamp, 'latin1').update('[]').sign(privateKey, 'base64');
      expect(verdict(headersOf(signature, timestamp), '[]', base64(publicKey))).toEqual(refused('malformed_timestamp'));
    },
  );
});

describe('key', () => {
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;

  test('is accepted as SendGrid shows it, with line breaks, and as PEM', () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const pem = pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const timestamp = String(Math.floor(receivedAt.getTime() / 1000));
    const signature = createSign('sha256').update(timestamp).update('[]').sign(pair.privateKey, 'base64');
    for (const secret of [base64(pair.publicKey), ` ${base64(pair.publicKey)}\n`, pem, pem.replaceAll('\n', '\r\n')]) {
      expect(sendgrid.secret.problem?.(secret)).toBe(null);
      expect(verdict(headersOf(signature, timestamp), '[]', secret)).toEqual(ok);
    }
  });

  test.each([
    ['text', 'secret'],
    ['an API key', `SG.${'a'.repeat(22)}.${'b'.repeat(43)}`],
    ['another curve', base64(ec('secp256k1'))],
    ['a longer curve', base64(ec('secp384r1'))],
    ['RSA', base64(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)],
    [
      'a private key',
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
        .privateKey.export({ format: 'pem', type: 'pkcs8' })
        .toString(),
    ],
    ['the beginning of a key', published.key.slice(0, 60)],
    ['a long text', 'MFkw'.repeat(100_000)],
  ])('%s is refused', (_, secret) => {
    expect(sendgrid.secret.problem?.(secret)).toContain('must be the public key');
    const headers = headersOf(published.signature, published.timestamp);
    expect(verdict(headers, published.body, secret)).toEqual(refused('unusable_secret'));
  });
});
