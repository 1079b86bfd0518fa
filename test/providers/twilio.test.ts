import { createHmac } from 'node:crypto';
import { parse, stringify } from 'node:querystring';
import twilioLibrary from 'twilio';
import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { readProviderConfig } from '../../src/providers/registry.ts';
import { twilio } from '../../src/providers/twilio.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { messageOf, received, settingsOf } from '../support/providers/request.ts';
import { twilio as sample } from '../support/providers/twilio.ts';
import { formType, ok, refused, requestTo, signedWith, verify } from './twilio-request.ts';

const { getExpectedTwilioSignature, validateRequest, validateRequestWithBody } = twilioLibrary;

describe("the examples in the tests of Twilio's libraries", () => {
  // https://github.com/twilio/twilio-python/blob/main/tests/unit/test_request_validator.py
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const http = url.replace('https', 'http');
  const withPort = (address: string) => address.replace('.com', '.com:1234');
  const body = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
    Caller: '+14158675309',
  }).toString();

  test.each([
    ['a form', url, body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
    ['signed without the port', withPort(url), body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
    ['signed with a port over http', withPort(http), body, 'Zmvh+3yNM1Phv2jhDCwEM3q5ebU='],
    ['signed with the port 443', url, body, 'kvajT1Ptam85bY51eRf/AJRuM3w='],
    ['signed with the port 80', http, body, '0ZXoZLH/DfblKGATFgpif+LLRf4='],
    [
      'repeated parameters',
      url,
      'Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234',
      'IK+Dwps556ElfBT0I3Rgjkr1wJU=',
    ],
  ])('%s', (_, address, form, signature) => {
    const headers = signedWith(signature);
    expect(verify(requestTo({ url: address, headers, body: form }), '12345')).toEqual(ok);
    // Without PUBLIC_URL, the requested host with http counts.
    const byHost = requestTo({ url: address, publicUrl: null, headers, body: form });
    expect(verify(byHost, '12345')).toEqual(address.startsWith('http:') ? ok : refused('bad_signature'));
    expect(verify(requestTo({ url: address, headers, body: form }), '12346')).toEqual(refused('bad_signature'));
    expect(verify(requestTo({ url: address, headers, body: `${form}&X=1` }), '12345')).toEqual(
      refused('bad_signature'),
    );
    expect(verify(requestTo({ url: `${address}&x=1`, headers, body: form }), '12345')).toEqual(
      refused('bad_signature'),
    );
  });

  test('JSON, by its hash in the URL', () => {
    const json = '{"property": "value", "boolean": true}';
    const address = `${url}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`;
    const request = (sent: string, contentType = 'application/json') =>
      requestTo({ url: address, headers: signedWith('a9nBmqA0ju/hNViExpshrM61xv4='), body: sent, contentType });
    expect(verify(request(json), '12345')).toEqual(ok);
    expect(verify(request(json.replace('value', 'valuf')), '12345')).toEqual(refused('bad_signature'));
    expect(verify(request(''), '12345')).toEqual(refused('bad_signature'));
    // Declaring another body as a form does not help.
    expect(verify(request('a=b', formType), '12345')).toEqual(refused('bad_signature'));
  });
});

describe('signature', () => {
  const key = sample.newKey();

  test.each([
    ['a form', 'Body=Zo%C3%AB+%F0%9F%92%B6&To=%2B1&To=%2B2&To=%2B1&Empty=&NumMedia=0', formType],
    ['an empty form', '', formType],
    ['JSON', '[{"id":"EZ1","type":"com.twilio.test","data":{"name":"Zoë 💶"}}]', 'application/json'],
    ['nothing', '', 'application/json'],
  ])("agrees with Twilio's library about %s", async (_, body, contentType) => {
    const message = messageOf(sample, { body, contentType });
    const signed = await key.sign(message);
    const url = message.url + signed.query;
    for (const sent of [body, `${body}x`]) {
      for (const secret of [key.secret, sample.newKey().secret]) {
        const [, signature = ''] = signed.headers[0] ?? [];
        const params: Record<string, string[]> = {};
        if (contentType === formType) {
          const form = new URLSearchParams(sent);
          for (const name of form.keys()) params[name] = form.getAll(name);
        }
        const valid =
          contentType === formType
            ? validateRequest(secret, signature, url, params)
            : validateRequestWithBody(secret, signature, url, sent);
        expect(valid).toBe(sent === body && secret === key.secret);
        const verdict = verifyInbound(
          twilio,
          settingsOf(sample, secret),
          received(sample, { ...signed, body: Buffer.from(sent) }, contentType),
        );
        expect(verdict).toEqual(valid ? ok : refused('bad_signature'));
      }
    }
  });

  test.each([
    "https://gateway.example/twilio/shop?name=O'Neil&x=a+b%20c",
    'https://gateway.example/twilio/shop?name=O%27Neil',
    'https://gateway.example:8443/twilio/shop?a=1',
    'http://[::1]:8080/twilio/shop',
    'http://[::1]/twilio/shop?time=12:30/4',
  ])("every form of the address that Twilio's library takes is taken: %s", (url) => {
    const { origin, pathname, search } = new URL(url);
    const noPort = url.replace(/(?<=example|\]):\d+/, '');
    const candidates = [
      url,
      noPort,
      noPort.replace(/(?<=example|\])(?=\/)/, url.startsWith('https') ? ':443' : ':80'),
      origin + pathname + search,
      origin + pathname + (search && `?${stringify(parse(search.slice(1)))}`),
    ];
    for (const address of candidates) {
      const signature = getExpectedTwilioSignature(key.secret, address, {});
      const valid = validateRequest(key.secret, signature, url, {});
      const publicUrl = url.slice(0, url.indexOf('/twilio'));
      expect(verify(requestTo({ url, publicUrl, headers: signedWith(signature) }), key.secret), address).toEqual(
        valid ? ok : refused('bad_signature'),
      );
    }
  });

  test('with a shared key, the hash is the one that the header of its setting names', () => {
    // https://www.twilio.com/docs/usage/webhooks/webhook-shared-keys
    const text = 'https://gateway.example/twilio/shopBodyhiTo+1';
    const signed = (algorithm: string) => signedWith(createHmac(algorithm, key.secret).update(text).digest('base64'));
    const verdict = (headers: Header[], settings?: string) =>
      verify(
        requestTo({
          headers: settings === undefined ? headers : [...headers, ['X-Twilio-Webhooks-Signature-Settings', settings]],
          body: 'To=%2B1&Body=hi',
        }),
        key.secret,
      );
    const sha256 = 'key=webhooks_key_01,algorithm=HMAC_SHA256';
    expect(verdict(signed('sha256'), sha256)).toEqual(ok);
    expect(verdict(signed('sha1'), 'key=webhooks_key_01,algorithm=HMAC_SHA1')).toEqual(ok);
    expect(verdict(signed('sha1'))).toEqual(ok);
    for (const [headers, settings] of [
      [signed('sha1'), sha256],
      [signed('sha256'), undefined],
      [signed('sha256'), 'key=algorithm=HMAC_SHA256'],
    ] as const)
      expect(verdict(headers, settings)).toEqual(refused('malformed_signature'));
    expect(verdict(signedWith(createHmac('sha256', 'x').update(text).digest('base64')), sha256)).toEqual(
      refused('bad_signature'),
    );
  });

  test('the address of a proxy can be configured', () => {
    const publicUrl = 'https://hooks.example/in';
    const signature = getExpectedTwilioSignature(key.secret, `${publicUrl}/twilio/shop?a=1`, { Body: 'x' });
    const request = requestTo({
      url: 'https://gateway.example/twilio/shop?a=1',
      headers: signedWith(signature),
      body: 'Body=x',
    });
    expect(verify(request, key.secret)).toEqual(refused('bad_signature'));
    expect(readProviderConfig('twilio', { public_url: 'https://a.example/twilio' })).not.toBe(null);
    for (const given of [publicUrl, `${publicUrl}/`]) {
      const config = readProviderConfig('twilio', { public_url: given });
      expect(verify(request, key.secret, config ?? {})).toEqual(ok);
    }
  });

  test.each([
    'gateway.example',
    'ftp://a.example',
    'https://u:p@a.example',
    'https://a.example?x',
    'https://a.example#x',
    'https://a.example ',
    ' https://a.example',
    'https://a.example/a b',
    'https://a.exa\nmple',
    'https://a.example/twilio/shop',
    'https://a.example/hooks/twilio/shop/',
  ])('not a valid address of a proxy: %s', (public_url) =>
    expect(readProviderConfig('twilio', { public_url })).toBe(null),
  );

  test('a missing signature and signatures of another length are refused', () => {
    expect(verify(requestTo({ body: 'a=b' }), key.secret)).toEqual(refused('missing_signature'));
    for (const signature of ['AAAA', 'RSOYDt4T1cUTdK1PDd93', `${'A'.repeat(28)}`, '?'.repeat(28)])
      expect(verify(requestTo({ headers: signedWith(signature) }), key.secret), signature).toEqual(
        refused('malformed_signature'),
      );
  });

  test('a body without its hash in the URL is refused', () => {
    const url = 'https://gateway.example/twilio/shop';
    const headers = signedWith(getExpectedTwilioSignature(key.secret, url, {}));
    expect(verify(requestTo({ url, headers, contentType: 'application/json' }), key.secret)).toEqual(ok);
    for (const [body, contentType] of [
      ['{}', 'application/json'],
      ['a=b', 'text/plain'],
      ['a=b', 'multipart/form-data; boundary=x'],
    ])
      expect(verify(requestTo({ url, headers, body, contentType }), key.secret)).toEqual(refused('bad_signature'));
  });

  test('a body with more parameters than Twilio sends is refused without sorting them', () => {
    const url = 'https://gateway.example/twilio/shop';
    const of = (count: number) => {
      const params = Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, 'x']));
      const headers = signedWith(getExpectedTwilioSignature(key.secret, url, params));
      return verify(requestTo({ url, headers, body: new URLSearchParams(params).toString() }), key.secret);
    };
    expect(of(1000)).toEqual(ok);
    expect(of(1001)).toEqual(refused('bad_signature'));
  });
});
