import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { gitlab } from '../../src/providers/gitlab.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { asSent, receivedAt, requestOf } from './request.ts';

const config = { tolerance_seconds: 300 };
const verdict = (headers: Header[], current: string, previous: string | null = null, body = '{}') =>
  verifyInbound(gitlab, { skip: false, current, previous, config }, requestOf({ headers, body }));
const ok = { ok: true };
const refused = (reason: string) => expect.objectContaining({ ok: false, reason });

const signingToken = `whsec_${randomBytes(32).toString('base64')}`;

/** Headers with a signature as GitLab makes it: https://docs.gitlab.com/user/project/integrations/webhooks/#signing-tokens */
function signed(token: string, body = '{}', id = 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f', at = receivedAt): Header[] {
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(Math.floor(at.getTime() / 1000))],
    ['webhook-signature', new Webhook(token).sign(id, at, body)],
    ['Idempotency-Key', id],
  ];
}

describe('secret token', () => {
  test.each([
    ['the token', 'X-Gitlab-Token', 'hunter2 & more', ok],
    ['any case of the name', 'x-GITLAB-token', 'hunter2 & more', ok],
    ['another token', 'X-Gitlab-Token', 'hunter3', refused('bad_signature')],
    ['another case', 'X-Gitlab-Token', 'HUNTER2 & MORE', refused('bad_signature')],
    ['a beginning', 'X-Gitlab-Token', 'hunter2', refused('bad_signature')],
    ['none', 'X-Gitlab-Token', '', refused('missing_signature')],
    ['another header', 'Authorization', 'Bearer hunter2 & more', refused('missing_signature')],
  ])('%s', (_, name, value, expected) => {
    expect(verdict([[name, value]], 'hunter2 & more')).toEqual(expected);
    expect(verdict([[name, value]], 'new', 'hunter2 & more')).toEqual(expected);
  });

  test('beyond ASCII matches as UTF-8 and as Latin-1', () => {
    expect(verdict([['X-Gitlab-Token', asSent('geheim-é-密')]], 'geheim-é-密')).toEqual(ok);
    expect(verdict([['X-Gitlab-Token', 'gehéim']], 'gehéim')).toEqual(ok);
  });

  test('is never stored', () => expect(gitlab.secretHeaders).toContain('x-gitlab-token'));

  test('is checked even if a signature is sent too', () => {
    expect(verdict([...signed(signingToken), ['X-Gitlab-Token', 'hunter2']], 'hunter2')).toEqual(ok);
    expect(verdict(signed(signingToken), 'hunter2')).toEqual(refused('missing_signature'));
  });

  test.each([
    ['only a prefix', 'whsec_'],
    ['a prefix and an ellipsis', 'whsec_…'],
    ['too short a text', 'whsec_short'],
    ['a key of 24 bytes', `whsec_${randomBytes(24).toString('base64')}`],
    ['a signing token with a line end', `${signingToken}\n`],
  ])('%s is neither a secret token nor a signing token', (_, token) => {
    expect(gitlab.secret.problem?.(token)).toMatch(/32 bytes/);
    expect(verdict([['X-Gitlab-Token', token]], token)).toEqual(refused('unusable_secret'));
  });

  test('any other text is a valid secret token, and a signing token is valid', () => {
    for (const token of ['hunter2', 'x whsec_', signingToken]) expect(gitlab.secret.problem?.(token)).toBe(null);
  });
});

describe('signing token', () => {
  test('signs body, id and time', () => {
    expect(verdict(signed(signingToken), signingToken)).toEqual(ok);
    expect(verdict(signed(signingToken), signingToken, null, '{"a":1}')).toEqual(refused('bad_signature'));
    const otherId = signed(signingToken).map(([name, value]): Header => [name, name === 'webhook-id' ? 'x' : value]);
    expect(verdict(otherId, signingToken)).toEqual(refused('bad_signature'));
    const old = signed(signingToken, '{}', 'id', new Date(receivedAt.getTime() - 301_000));
    expect(verdict(old, signingToken)).toEqual(refused('stale_timestamp'));
    const noTime = signed(signingToken).filter(([name]) => name !== 'webhook-timestamp');
    expect(verdict(noTime, signingToken)).toEqual(refused('missing_timestamp'));
  });

  test('does not match if it is sent as a secret token', () => {
    expect(verdict([['X-Gitlab-Token', signingToken]], signingToken)).toEqual(refused('missing_signature'));
  });

  test('and a secret token can replace each other in a rotation', () => {
    expect(verdict(signed(signingToken), signingToken, 'hunter2')).toEqual(ok);
    expect(verdict([['X-Gitlab-Token', 'hunter2']], signingToken, 'hunter2')).toEqual(ok);
    expect(verdict(signed(signingToken), 'hunter2', signingToken)).toEqual(ok);
    expect(verdict([['X-Gitlab-Token', 'hunter3']], signingToken, 'hunter2')).toEqual(refused('missing_signature'));
  });
});

// Shapes of https://docs.gitlab.com/user/project/integrations/webhook_events/ and
// https://docs.gitlab.com/administration/system_hooks/
describe('event type', () => {
  const cases: [type: string | null, payload: unknown, header?: string][] = [
    ['push', { object_kind: 'push', event_name: 'push', ref: 'refs/heads/main' }, 'Push Hook'],
    ['tag_push', { object_kind: 'tag_push', event_name: 'tag_push' }],
    [
      'issue.update',
      { object_kind: 'issue', event_type: 'confidential_issue', object_attributes: { action: 'update' } },
    ],
    ['merge_request.merge', { object_kind: 'merge_request', object_attributes: { action: 'merge' } }],
    ['note.create', { object_kind: 'note', object_attributes: { id: 1, action: 'create' } }],
    ['note', { object_kind: 'note', object_attributes: { id: 1 } }],
    ['pipeline', { object_kind: 'pipeline', object_attributes: { status: 'success' } }],
    ['build', { object_kind: 'build', build_status: 'created' }, 'Job Hook'],
    ['release.create', { object_kind: 'release', action: 'create' }],
    ['deployment', { object_kind: 'deployment', status: 'success' }],
    ['user_add_to_group', { event_name: 'user_add_to_group' }, 'Member Hook'],
    ['project_create', { event_name: 'project_create' }, 'System Hook'],
    ['Push Hook', { text: 'a template of the user' }, 'Push Hook'],
    ['Push Hook', [], 'Push Hook'],
    ['push', { object_kind: 'push', object_attributes: [], action: 7 }],
    [null, { object_kind: 7, event_name: null }],
    [null, {}, ''],
  ];
  test.each(cases)('%s', (type, payload, header) => {
    const headers: Header[] = header === undefined ? [] : [['X-Gitlab-Event', header]];
    expect(gitlab.eventType(requestOf({ headers, body: JSON.stringify(payload) }), config)).toBe(type);
  });
});

describe('id and duplicates', () => {
  const keyOf = (headers: Header[], body = '{}') => {
    const request = requestOf({ headers, body });
    const external = gitlab.externalId(request, config);
    const key = gitlab.dedupKey(request, external, config);
    return { ...external, key: key && Buffer.from(key).toString('hex') };
  };
  const uuid: Header = ['X-Gitlab-Event-UUID', 'event'];

  test('a retry is recognised by the Idempotency-Key alone', () => {
    const first = keyOf([['Idempotency-Key', 'a'], uuid]);
    expect(first).toMatchObject({ id: 'a', own: true, key: expect.any(String) });
    expect(
      keyOf(
        [
          ['idempotency-key', 'a'],
          ['X-Gitlab-Event-UUID', 'other'],
        ],
        '{"n":1}',
      ),
    ).toEqual(first);
    expect(keyOf([['Idempotency-Key', 'b'], uuid]).key).not.toBe(first.key);
  });

  test('the signed id takes precedence, because it cannot be forged', () => {
    const once = signed(signingToken).map(([name, value]): Header => [name, name === 'Idempotency-Key' ? 'x' : value]);
    expect(keyOf(once)).toEqual(keyOf(signed(signingToken)));
  });

  test('events that share a UUID are distinguished by their bytes', () => {
    const first = keyOf([uuid]);
    expect(first).toMatchObject({ id: 'event', own: true, key: expect.any(String) });
    expect(keyOf([uuid])).toEqual(first);
    expect(keyOf([uuid], '{"n":1}').key).not.toBe(first.key);
  });

  test('without these headers nothing is a duplicate', () => {
    expect(
      keyOf([
        ['Idempotency-Key', ''],
        ['X-Gitlab-Event-UUID', ''],
      ]),
    ).toMatchObject({ own: false, key: null });
    expect(keyOf([['X-Gitlab-Webhook-UUID', 'random each time']])).toMatchObject({ own: false, key: null });
  });
});
