import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isReserved } from '../../src/http/method-not-allowed.ts';
import type { InboundRequest } from '../../src/providers/inbound-request.ts';
import type { ChallengeAnswer, Provider, RejectionReason } from '../../src/providers/provider.ts';
import { providers, readProviderConfig } from '../../src/providers/registry.ts';
import { storedHeaders } from '../../src/providers/stored-headers.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { configsOf, secretsNear } from '../support/providers/hostile-settings.ts';
import { type Offer, offersNear, requestOfOffer } from '../support/providers/hostile-webhooks.ts';
import { messageOf } from '../support/providers/request.ts';
import type { Key, Sample } from '../support/providers/sample.ts';
import { samples } from '../support/providers/samples.ts';

const reasons: Record<RejectionReason, true> = {
  unknown_provider: true,
  no_secret_configured: true,
  secret_unreadable: true,
  unusable_secret: true,
  invalid_provider_config: true,
  missing_original_url: true,
  missing_signature: true,
  malformed_signature: true,
  bad_signature: true,
  missing_timestamp: true,
  malformed_timestamp: true,
  stale_timestamp: true,
};

const schemaOf = (provider: Provider) => z.toJSONSchema(provider.config, { io: 'input' });

const storable = (text: string) =>
  Array.from(text).length <= 255 && text.isWellFormed() && !text.includes('\0') && text !== '';

const isAnswer = ({ status, contentType, body }: ChallengeAnswer) =>
  status >= 200 && status < 600 && /^[\x20-\x7e]+$/.test(contentType) && typeof body === 'string';

/** A signed webhook of the provider, including the headers of the event. */
async function genuineOffer(sample: Sample, key: Key, id: string): Promise<Offer> {
  const { body, contentType = 'application/json', headers = [] } = sample.event(id);
  const signed = await key.sign(messageOf(sample, { body, contentType }));
  return { contentType, signed: { ...signed, headers: [...signed.headers, ...headers] } };
}

/** Headers that providers or proxies use. */
const meaningful = ['host', 'x-forwarded-proto', 'x-original-url', 'authorization', 'cookie', 'content-type'];
const names = new Set(meaningful);

beforeAll(async () => {
  for (const sample of samples) {
    const { signed } = await genuineOffer(sample, sample.newKey(), 'evt_1');
    for (const [name] of signed.headers) names.add(name);
  }
});

describe.each([...providers])('%s', (name, provider) => {
  const own = samples.filter((sample) => sample.provider === name);
  // The tests need a sample of every provider.
  const [sample] = own;
  const configs = own.map(({ config = {} }) => config);
  let genuine: Offer[] = [];
  let secrets: string[] = [];

  beforeAll(async () => {
    const keys = own.map((each) => each.newKey());
    secrets = keys.map(({ secret }) => secret);
    const made = own.flatMap((each, at) =>
      ['evt_1', 'evt_2'].map((id) => genuineOffer(each, keys[at] ?? each.newKey(), id)),
    );
    genuine = await Promise.all(made);
  });

  /** Any webhooks, to accounts with any config and secrets. */
  const situations = () =>
    fc.record({
      offer: offersNear(genuine, [...names]),
      config: configsOf(schemaOf(provider), configs).map((config) => readProviderConfig(name, config)),
      secret: secretsNear(secrets),
    });
  const requestOf = (offer: Offer): InboundRequest => {
    if (!sample) throw new Error(`${name} has no sample`);
    return requestOfOffer(sample, offer);
  };

  test('has a valid name, texts for operators, and a sample', () => {
    expect(name).toMatch(/^[a-z][a-z0-9_]{1,49}$/);
    expect(isReserved(name)).toBe(false);
    expect(provider.title).toMatch(/\S/);
    expect(provider.secret.label).toMatch(/\S/);
    expect(provider.secret.hint).toMatch(/^\S.*\.$/);
    expect(provider.secretHeaders).toEqual(provider.secretHeaders.map((header) => header.toLowerCase()));
    expect(own).not.toEqual([]);
    for (const config of configs) expect(readProviderConfig(name, config)).not.toBe(null);
    for (const secret of secrets) expect(provider.secret.problem?.(secret) ?? null).toBe(null);
  });

  test('has a JSON schema of flat fields, each described', () => {
    const { type, properties = {}, additionalProperties } = schemaOf(provider);
    expect({ type, additionalProperties }).toEqual({ type: 'object', additionalProperties: false });
    for (const [field, schema] of Object.entries(properties)) {
      expect(schema, field).toMatchObject({
        type: expect.toBeOneOf(['string', 'integer', 'number', 'boolean']),
        description: expect.stringMatching(/\S/),
      });
    }
    expect(readProviderConfig(name, { ...configs[0], no_such_field: 1 })).toBe(null);
  });

  test('has a page for users', () => {
    const page = new URL(`../../docs/providers/${name}.md`, import.meta.url);
    expect(existsSync(page), `docs/providers/${name}.md`).toBe(true);
    const text = readFileSync(page, 'utf8');
    expect(text.split('\n', 1)[0]).toBe(`# ${provider.title}`);
    expect(text).toMatch(new RegExp(`https://<your gateway>/${name}/(<account_slug>|\\w+)`));
    expect(text).toContain('signing_secret_current');
    const overview = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
    // The same words as in the API, apart from code and the first letter.
    const row = overview.split('\n').find((line) => line.startsWith(`| [\`${name}\`](providers/${name}.md) | `));
    const words = (text = '') => text.trim().replaceAll('`', '').toLowerCase();
    expect(words(row?.split('|')[2])).toBe(words(provider.verification));
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(readme).toContain(`\`${name}\``);
    for (const field of Object.keys(schemaOf(provider).properties ?? {})) expect(text).toContain(field);
  });

  test('no webhook and no config makes it throw or return a value that cannot be stored', () => {
    fc.assert(
      fc.property(situations(), ({ offer, config, secret }) => {
        const request = requestOf(offer);
        const before = Buffer.from(request.body);
        const verdict = verifyInbound(provider, { skip: false, current: secret, previous: null, config }, request);
        expect(verdict.ok || Object.hasOwn(reasons, verdict.reason)).toBe(true);
        // Without verification, an invalid config counts as none.
        const settings = config ?? {};
        const type = provider.eventType(request, settings);
        expect(type === null || type === '' || storable(type)).toBe(true);
        const external = provider.externalId(request, settings);
        expect(storable(external.id)).toBe(true);
        expect(provider.externalId(requestOf(offer), settings)).toEqual(external);
        const key = provider.dedupKey(request, external, settings);
        expect(key === null || (external.own && key.length === 32)).toBe(true);
        const challenge = provider.challenge?.(request) ?? null;
        expect(challenge === null || isAnswer(challenge)).toBe(true);
        const check = provider.unsignedCheck?.(request) ?? null;
        expect(check === null || isAnswer(check)).toBe(true);
        const handshake = provider.handshake?.(request, settings);
        expect(!handshake?.ok || isAnswer(handshake.answer)).toBe(true);
        expect(storedHeaders(provider, request, { current: secret, previous: null })).toHaveLength(
          request.headers.length,
        );
        expect(provider.secret.problem?.(secret) ?? '').toEqual(expect.any(String));
        expect(before.equals(request.body)).toBe(true);
      }),
      { numRuns: 400 },
    );
  }, 30_000);

  test('no webhook verifies without the secret', () => {
    const others = own.map((each) => each.newKey().secret);
    fc.assert(
      fc.property(situations(), fc.constantFrom(...others), ({ offer, config }, secret) => {
        const verdict = verifyInbound(
          provider,
          { skip: false, current: secret, previous: null, config },
          requestOf(offer),
        );
        expect(verdict.ok).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  test('the longest bodies and headers are read completely', () => {
    const length = 300_000;
    const patterns = [
      ' ',
      ',',
      '=',
      'a=',
      'v1=',
      't=1,',
      'v1, ',
      '-',
      '.',
      'Bearer ',
      '{',
      '[',
      '%',
      '"',
      '\\',
      '&',
      '\t\r',
      '0',
    ];
    const [config = null] = configs.map((each) => readProviderConfig(name, each));
    for (const [index, { signed, contentType }] of genuine.entries()) {
      for (const pattern of patterns) {
        const long = pattern.repeat(length / pattern.length);
        const offer = {
          contentType: index % 2 === 0 ? contentType : 'application/x-www-form-urlencoded',
          signed: {
            headers: signed.headers.map(([header, value]): [string, string] => [header, value.slice(0, 8) + long]),
            body: Buffer.from(long),
            query: `?${long}`,
          },
        };
        const request = requestOf(offer);
        const verdict = verifyInbound(provider, { skip: false, current: 'aa', previous: null, config }, request);
        expect(verdict.ok).toBe(false);
        expect(storable(provider.externalId(request, config ?? {}).id)).toBe(true);
        expect(provider.eventType(request, config ?? {})?.length ?? 0).toBeLessThanOrEqual(510);
      }
    }
  }, 30_000);
});
