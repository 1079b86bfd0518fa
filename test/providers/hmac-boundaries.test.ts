import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmac } from '../../src/providers/hmac.ts';
import { hmacConfig } from '../../src/providers/hmac-config.ts';
import { inboundRequest } from '../../src/providers/inbound-request.ts';
import { type Reading, readingsOf, textOf } from '../fuzz/signed/readings.ts';
import { requests, type Scheme, schemes } from '../fuzz/signed/schemes.ts';

const place = { origin: 'https://gateway.example', path: '/hmac/a.b' };
const secret = 'key';
const times = { seconds: ['1772366400', '1772366401'], milliseconds: ['1772366400000', '1772366400001'] };

/** Whether a request with the signature of `text` is accepted at its own time. */
function isAccepted(scheme: Scheme, text: string, { id, time, target, body }: Reading): boolean {
  const signature = createHmac('sha256', secret).update(Buffer.from(text, 'latin1')).digest('hex');
  const unitMs = scheme.timestamp_unit === 'seconds' ? 1000 : 1;
  const request = inboundRequest({
    rawHeaders: ['X-Signature', signature, 'X-Id', id, 'X-Time', time],
    ...{ target, publicUrl: place.origin, body: Buffer.from(body, 'latin1') },
    receivedAt: new Date(Number(time) * unitMs),
  });
  return hmac.verify(request, { secret, config: hmacConfig.parse(scheme) }).ok;
}

const cases = schemes.chain((scheme) => fc.tuple(fc.constant(scheme), requests(place, times[scheme.timestamp_unit])));

/** The bytes of a text, one character for each byte, as values are. */
const inBytes = (text: string) => Buffer.from(text).toString('latin1');

test('of all requests with the same signed text, at most one is accepted', () => {
  let several = 0;
  fc.assert(
    fc.property(cases, ([scheme, sent]) => {
      const signed = inBytes(scheme.signed);
      const text = textOf(signed, place, sent);
      const readings = readingsOf(signed, place, text);
      if (readings.length > 1) several++;
      expect(readings.filter((reading) => isAccepted(scheme, text, reading)).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 1_000 },
  );
  expect(several).toBeGreaterThan(100);
}, 30_000);

test('a scheme that new accounts may have accepts every usual webhook', () => {
  const usual = fc.record({
    id: fc.oneof(fc.uuid(), fc.constantFrom('', '17', 'evt_1.a', 'urn:x:1/2', '120210813281726464', '0-.|~é')),
    target: fc.constantFrom(place.path, `${place.path}?a=%20b&c=1.5|{"x"}`),
    body: fc.oneof(fc.json(), fc.string(), fc.constant('a=1.5&b=2')),
  });
  let accepted = 0;
  fc.assert(
    fc.property(schemes, usual, (scheme, sent) => {
      if (hmac.configProblem?.(hmacConfig.parse(scheme))) return;
      const [time = ''] = times[scheme.timestamp_unit];
      const request = { ...sent, time, id: inBytes(sent.id), body: inBytes(sent.body) };
      const text = textOf(inBytes(scheme.signed), place, request);
      expect(isAccepted(scheme, text, request)).toBe(true);
      accepted++;
    }),
    { numRuns: 1_000 },
  );
  expect(accepted).toBeGreaterThan(200);
}, 30_000);
