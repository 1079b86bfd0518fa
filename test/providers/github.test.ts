import { sign, verify } from '@octokit/webhooks-methods';
import { describe, expect, test } from 'vitest';
import { github } from '../../src/providers/github.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { github as sample } from '../support/providers/github.ts';
import { messageOf, settingsOf } from '../support/providers/request.ts';
import { requestOf } from './request.ts';

const form = 'application/x-www-form-urlencoded';
const verdict = (body: string, headers: Header[], current: string, previous: string | null = null) =>
  verifyInbound(github, settingsOf(sample, current, previous), requestOf({ headers, body }));

describe('signature', () => {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
  test('the example from GitHub’s documentation verifies', () => {
    const headers: Header[] = [
      ['X-Hub-Signature-256', 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'],
    ];
    expect(verdict('Hello, World!', headers, "It's a Secret to Everybody")).toEqual({ ok: true });
    expect(verdict('Hello, World?', headers, "It's a Secret to Everybody")).toEqual({
      ok: false,
      reason: 'bad_signature',
    });
  });

  test.each([
    ['JSON', '{"zen":"Zoë 💶"}'],
    ['a form', `payload=${encodeURIComponent('{"zen":"Zoë 💶"}')}`],
  ])("agrees with GitHub's library about %s", async (_, body) => {
    const key = sample.newKey();
    const { headers } = await key.sign(messageOf(sample, { body }));
    const signature = headers[0]?.[1] ?? '';
    for (const sent of [body, body.replace('Z', 'Y')])
      for (const secret of [key.secret, sample.newKey().secret])
        expect(verdict(sent, headers, secret).ok).toBe(await verify(secret, sent, signature));
    expect(verdict(body, headers, sample.newKey().secret, key.secret)).toEqual({ ok: true });
  });

  test('the SHA-1 signature, which GitHub also sends for old receivers, does not count', async () => {
    expect(verdict('{}', [['X-Hub-Signature', 'sha1=5d61605c3feea9799210ddcb71307d4ba264225f']], 'secret')).toEqual({
      ok: false,
      reason: 'missing_signature',
    });
  });

  test('a webhook without a secret is not signed', () => {
    expect(verdict('{}', [['X-GitHub-Event', 'ping']], 'secret')).toEqual({ ok: false, reason: 'missing_signature' });
  });

  test('a secret of one character works', async () => {
    expect(verdict('{}', [['X-Hub-Signature-256', await sign('x', '{}')]], 'x')).toEqual({ ok: true });
  });
});

describe('event type', () => {
  const typeOf = (event: string | null, body: string, contentType = 'application/json') => {
    const headers: Header[] = [['Content-Type', contentType]];
    if (event !== null) headers.push(['x-github-event', event]);
    return github.eventType(requestOf({ headers, body }), {});
  };

  test.each<[string | null, string, string | null]>([
    ['pull_request', '{"action":"opened"}', 'pull_request.opened'],
    ['push', '{"ref":"refs/heads/main"}', 'push'],
    ['ping', '{"zen":"Design for failure.","hook_id":1}', 'ping'],
    ['repository_dispatch', '{"action":"on-demand test"}', 'repository_dispatch.on-demand test'],
    ['push', '{"action":""}', 'push'],
    ['push', '{"action":{"x":1}}', 'push'],
    ['push', '{"__proto__":{"action":"opened"}}', 'push'],
    ['push', '["action"]', 'push'],
    ['push', 'action=opened', 'push'],
    ['push', '', 'push'],
    ['', '{"action":"opened"}', null],
    [null, '{"action":"opened"}', null],
    ['t'.repeat(300), '{"action":"opened"}', 't'.repeat(255)],
  ])('%s with %s is %s', (event, body, type) => expect(typeOf(event, body)).toBe(type));

  test.each([
    [`payload=${encodeURIComponent('{"action":"opened"}')}`, 'issues.opened'],
    ['payload={%22action%22:%22opened%22}', 'issues.opened'],
    ['payload=', 'issues'],
    ['payload={', 'issues'],
    ['payload=[]', 'issues'],
    ['payload=null', 'issues'],
    ['action=opened', 'issues'],
    ['', 'issues'],
  ])('of the form %s is %s', (body, type) => {
    expect(typeOf('issues', body, form)).toBe(type);
    expect(typeOf('issues', body, `${form}; charset=utf-8`)).toBe(type);
  });
});

describe('id', () => {
  const guid = '72d3162e-cc78-11e3-81ab-4c9367dc0958';
  const read = (id: string | null, body: string) => {
    const request = requestOf({ headers: id === null ? [] : [['X-GitHub-Delivery', id]], body });
    const externalId = github.externalId(request, {});
    return { externalId, key: github.dedupKey(request, externalId, {}) };
  };

  test('is the id of the delivery, and a redelivery is a duplicate', () => {
    expect(read(guid, '{}').externalId).toEqual({ id: guid, own: true });
    expect(read(guid, '{}').key).toHaveLength(32);
    expect(read(guid, '{ }').key).toEqual(read(guid, '{}').key);
    expect(read(guid.replace('7', '8'), '{}').key).not.toEqual(read(guid, '{}').key);
  });

  test.each([null, ''])('without an id (%j) nothing is a duplicate', (id) => {
    expect(read(id, '{}')).toEqual({ externalId: { id: expect.stringMatching(/^gen-/), own: false }, key: null });
  });

  test('two very long ids with the same beginning are duplicates only with the same body', () => {
    expect(read('x'.repeat(300), '{"n":1}').key).not.toEqual(read('x'.repeat(301), '{"n":2}').key);
  });
});
