import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Provider, Verification } from '../../src/providers/provider.ts';
import { providers } from '../../src/providers/registry.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { messageOf, received, receivedAt, settingsOf } from '../support/providers/request.ts';
import type { Key, Message, Sample, Signed } from '../support/providers/sample.ts';
import { samples } from '../support/providers/samples.ts';

const ok: Verification = { ok: true };
const refused = (...reasons: string[]) => expect.objectContaining({ ok: false, reason: expect.toBeOneOf(reasons) });

function providerOf(sample: Sample): Provider {
  const provider = providers.get(sample.provider);
  if (!provider) throw new Error(`${sample.provider} is not registered`);
  return provider;
}

const minutes = (n: number) => n * 60_000;

describe.each(samples.map((sample) => [sample.provider, sample] as const))('%s', (_name, sample) => {
  const provider = providerOf(sample);
  const event = sample.event('evt_4711');
  const send = (key: Key, message: Partial<Message> = {}): Promise<Signed> | Signed =>
    key.sign(
      messageOf(sample, {
        body: event.body,
        ...(event.contentType ? { contentType: event.contentType } : {}),
        ...message,
      }),
    );
  const verdict = (
    signed: Signed,
    current: string | null,
    previous: string | null = null,
    contentType = event.contentType,
  ) => verifyInbound(provider, settingsOf(sample, current, previous), received(sample, signed, contentType));

  test('a signed webhook verifies, and its type and id are read', async () => {
    const key = sample.newKey();
    const signed = await send(key);
    expect(verdict(signed, key.secret)).toEqual(ok);
    const request = received(
      sample,
      { ...signed, headers: [...signed.headers, ...(event.headers ?? [])] },
      event.contentType,
    );
    const config = settingsOf(sample, null).config ?? {};
    expect(provider.eventType(request, config)).toBe(event.type);
    expect(provider.externalId(request, config)).toMatchObject({ id: event.externalId });
  });

  test('both secrets of a rotation verify, and a third secret does not', async () => {
    const [oldKey, newKey, otherKey] = [sample.newKey(), sample.newKey(), sample.newKey()];
    const signed = await send(oldKey);
    expect(verdict(signed, oldKey.secret)).toEqual(ok);
    expect(verdict(signed, newKey.secret, oldKey.secret)).toEqual(ok);
    expect(verdict(await send(newKey), newKey.secret, oldKey.secret)).toEqual(ok);
    expect(verdict(signed, newKey.secret)).toEqual(refused('bad_signature'));
    expect(verdict(await send(otherKey), newKey.secret, oldKey.secret)).toEqual(refused('bad_signature'));
    expect(verdict(signed, null)).toEqual(refused('no_secret_configured'));
  });

  test('a missing or malformed signature is refused', async () => {
    const key = sample.newKey();
    const signed = await send(key);
    const withSignature = (change: (signature: string) => string | null) =>
      verdict(sample.withSignature(signed, change), key.secret);
    expect(withSignature(() => null)).toEqual(refused('missing_signature', 'malformed_signature'));
    for (const other of ['', ' ', '=', 'x', 'ä', '%', '0'.repeat(10_000)])
      expect(
        withSignature(() => other),
        JSON.stringify(other),
      ).toMatchObject({ ok: false });
    expect(withSignature((signature) => signature)).toEqual(ok);
    for (const change of [
      (s: string) => s.slice(1),
      (s: string) => s.slice(0, -1),
      (s: string) => s + s,
      (s: string) => `${s}0`,
    ])
      expect(withSignature(change)).toMatchObject({ ok: false });
  });

  if (sample.coversBody)
    test('a change of any byte of the body is refused', async () => {
      const key = sample.newKey();
      const signed = await send(key);
      await fc.assert(
        fc.asyncProperty(fc.nat(signed.body.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
          const body = Uint8Array.from(signed.body);
          body[at] = (body[at] ?? 0) ^ change;
          expect(verdict({ ...signed, body }, key.secret)).toMatchObject({ ok: false });
        }),
        { numRuns: sample.anyBody ? 200 : 60 },
      );
      for (const body of [
        signed.body.slice(1),
        signed.body.slice(0, -1),
        Buffer.concat([signed.body, Buffer.from(' x')]),
        new Uint8Array(),
      ])
        expect(verdict({ ...signed, body }, key.secret)).toMatchObject({ ok: false });
    });

  if (sample.coversTime)
    test('a time outside of the tolerance is stale', async () => {
      const key = sample.newKey();
      const at = async (awayMs: number, previous = false) => {
        const signed = await send(key, { at: new Date(receivedAt.getTime() + awayMs) });
        return previous ? verdict(signed, sample.newKey().secret, key.secret) : verdict(signed, key.secret);
      };
      for (const awayMs of [-minutes(5) + 1000, minutes(5) - 1000]) expect(await at(awayMs)).toEqual(ok);
      for (const awayMs of [-minutes(5) - 1000, minutes(5) + 1000, -minutes(60 * 24 * 365)]) {
        expect(await at(awayMs)).toEqual(refused('stale_timestamp'));
        expect(await at(awayMs, true)).toEqual(refused('stale_timestamp'));
      }
      const patient = { ...sample, config: { ...sample.config, tolerance_seconds: 600 } };
      const late = await send(key, { at: new Date(receivedAt.getTime() - minutes(9)) });
      expect(
        verifyInbound(provider, settingsOf(patient, key.secret), received(sample, late, event.contentType)),
      ).toEqual(ok);
    });

  if (sample.anyBody)
    test('bodies of all kinds are verified by their bytes', async () => {
      const key = sample.newKey();
      const bodies: [string, string][] = [
        ['', 'application/json'],
        ['{"name":"Zoë 💶 ﷽"}', 'application/json; charset=utf-8'],
        ['a=1&b=%C3%A9&b=two+words&empty=', 'application/x-www-form-urlencoded'],
        ['[1,2', 'application/json'],
      ];
      for (const [body, contentType] of bodies) {
        const signed = await send(key, { body: Buffer.from(body), contentType });
        expect(verdict(signed, key.secret, null, contentType), body).toEqual(ok);
        const request = received(sample, signed, contentType);
        const config = settingsOf(sample, null).config ?? {};
        expect(provider.eventType(request, config)?.length ?? 0).toBeLessThanOrEqual(255);
        expect(provider.externalId(request, config).id).not.toBe('');
      }
    });

  test('the same webhook is a duplicate; another event is not', async () => {
    const key = sample.newKey();
    const config = settingsOf(sample, null).config ?? {};
    const dedupKey = async (id: string) => {
      const { body, contentType, headers = [] } = sample.event(id);
      const signed = await send(key, { body: Buffer.from(body), ...(contentType ? { contentType } : {}) });
      const request = received(sample, { ...signed, headers: [...signed.headers, ...headers] }, contentType);
      const hash = provider.dedupKey(request, provider.externalId(request, config), config);
      return hash && Buffer.from(hash).toString('hex');
    };
    const first = await dedupKey('evt_1');
    expect(first).not.toBe(null);
    expect(await dedupKey('evt_1')).toBe(first);
    expect(await dedupKey('evt_2')).not.toBe(first);
  });
});
