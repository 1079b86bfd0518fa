import { beforeAll, describe, expect, test } from 'vitest';
import { createAdminClient } from '../../../src/api/client.ts';
import { auditTrail } from '../../support/audit-trail.ts';
import { secretText } from '../../support/secrets.ts';
import { useGateway } from '../../support/use-gateway.ts';

const unknownId = '01900000-0000-7000-8000-000000000000';
const exhausted = {
  ...{ delivery_failed: true, provider: '', event_type: null, account_slug: '', app_key: '', consumer: 'default' },
  ...{ attempts: 10, response_code: null },
};

let eventId: string;
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  const account = await gateway.admin.createAccount({ account_slug: 'shop', app_key: 'my-app' });
  eventId = (await gateway.send(account, '{"id":"1","type":"order.paid"}')).body.id;
});

const check = (body: unknown) => gateway.admin.post('/admin/conditions/check', body);

describe('on values', () => {
  test.each<[condition: string, variables: object | undefined, matches: boolean]>([
    ['delivery_failed', undefined, true],
    ['delivery_failed', {}, true],
    ['delivery_failed', { delivery_failed: false }, false],
    ['provider == ""', undefined, true],
    ['event_type != "a" and response_code != 200 and attempts == 10', undefined, true],
    ['event_type.startswith("")', undefined, false],
    ['event_type.startswith("")', { event_type: '' }, true],
    ['event_type.startswith("")', { event_type: null }, false],
    ['provider == "x" and account_slug == "😀"', { provider: 'x', account_slug: '😀' }, true],
    ['app_key in ["a"] or attempts == -3', { attempts: -3, app_key: 'b' }, true],
    ['response_code == 503', { response_code: 503 }, true],
  ])('%s of %j', async (condition, variables, matches) => {
    const answer = await check({ condition, variables });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ matches, variables: { ...exhausted, ...variables } });
  });

  test('through the typed client', async () => {
    const client = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
    const body = { condition: 'provider == "generic"', variables: { provider: 'generic' } };
    const { data } = await client.conditions.check.post(body);
    expect(data?.matches).toBe(true);
    expect(data?.variables.provider).toBe('generic');
  });
});

describe('on given content', () => {
  test.each<[condition: string, variables: object, matches: boolean]>([
    ['payload.amount > 100', { payload: { amount: 150 } }, true],
    ['payload.amount > 100', { payload: { amount: 50 } }, false],
    ['payload.amount > 100', {}, false],
    ['payload[0] == "a"', { payload: ['a'] }, true],
    ['exists(payload)', { payload: null }, true],
    ['exists(payload)', { attempts: 3 }, false],
    ['header["x-github-event"] == "push"', { headers: { 'X-GitHub-Event': 'push' } }, true],
    ['exists(header["x-github-event"])', { payload: {} }, false],
    ['matches(payload.text, "a+b")', { payload: { text: 'xaab' } }, true],
  ])('%s of %j', async (condition, variables, matches) => {
    const answer = await check({ condition, variables });
    expect(answer.status).toBe(200);
    const { payload: _, headers: __, ...others } = { payload: null, headers: null, ...variables };
    expect(answer.body).toEqual({ matches, variables: { ...exhausted, ...others } });
  });
});

describe('on an event', () => {
  const secret = secretText('s3cret');
  test('reads its stored body and headers, where secrets are masked', async () => {
    const account = await gateway.admin.createAccount({
      ...{ skip_signature_verification: false, signing_secret_current: secret },
    });
    const body = '{"amount":9007199254740993,"type":"order.paid"}';
    const { body: received, status } = await gateway.send(account, body, {
      ...{ authorization: `Bearer ${secret}`, 'x-region': 'eu' },
    });
    expect(status).toBe(202);
    const matches = async (condition: string) => (await check({ condition, event_id: received.id })).body.matches;
    expect(await matches('payload.amount == 9007199254740993')).toBe(true);
    expect(await matches('payload.amount == 9007199254740992')).toBe(false);
    expect(await matches('header["X-Region"] == "eu"')).toBe(true);
    expect(await matches('header["authorization"] == "[masked]"')).toBe(true);
    expect(await matches(`header["authorization"].contains("${secret.slice(0, 4)}")`)).toBe(false);
  });

  test('has no payload if only the beginning of its body is stored', async () => {
    const account = await gateway.admin.createAccount({
      ...{ skip_signature_verification: false, signing_secret_current: secret },
    });
    const digits = '1'.repeat(20_000);
    expect((await gateway.send(account, digits)).status).toBe(401);
    const [event] = await gateway.rows('select id from events where account_id = $1', [account.id]);
    expect((await check({ condition: 'exists(payload)', event_id: event?.id })).body.matches).toBe(false);
    expect((await check({ condition: 'exists(header["host"])', event_id: event?.id })).body.matches).toBe(true);
  });

  const values = (changed: object) => ({
    ...{ delivery_failed: false, provider: 'generic', event_type: 'order.paid', account_slug: 'shop' },
    ...{ app_key: 'my-app', consumer: 'default', attempts: 0, response_code: null },
    ...changed,
  });
  test.each<[status: string | null, columns: string, changed: object]>([
    ['pending', '', {}],
    ['delivered', ', attempts = 1, response_code = 204', { attempts: 1, response_code: 204 }],
    ['failed', ', attempts = 10, response_code = 503', { delivery_failed: true, attempts: 10, response_code: 503 }],
    ['failed', ', attempts = 11, response_code = null', { delivery_failed: true, attempts: 11 }],
  ])('that is %s%s', async (status, columns, changed) => {
    await gateway.rows(`update events set delivery_status = $2${columns} where id = $1`, [eventId, status]);
    const answer = await check({ condition: 'delivery_failed', event_id: eventId });
    expect(answer.status).toBe(200);
    const variables = values(changed);
    expect(answer.body).toEqual({ matches: variables.delivery_failed, variables });
  });

  test('without a type', async () => {
    const account = await gateway.admin.createAccount({});
    const { body } = await gateway.send(account, 'plain');
    const answer = await check({ condition: 'event_type != "x"', event_id: body.id });
    expect(answer.body).toMatchObject({ matches: true, variables: { event_type: null } });
  });

  test('that was rejected: `delivery_failed` is false, because it has no delivery', async () => {
    const account = await gateway.admin.createAccount({
      skip_signature_verification: false,
      signing_secret_current: secretText('s3cret'),
    });
    expect((await gateway.send(account, '{}')).status).toBe(401);
    const [event] = await gateway.rows('select id from events where account_id = $1', [account.id]);
    const answer = await check({ condition: 'delivery_failed', event_id: event?.id });
    expect(answer.body).toMatchObject({ matches: false, variables: { delivery_failed: false } });
  });

  test('whose id is in capital letters; the audit entry has the event but not the condition', async () => {
    const entries = auditTrail(gateway.database);
    await entries();
    const answer = await check({ condition: 'provider == "do-not-keep" or true', event_id: eventId.toUpperCase() });
    expect(answer.body).toMatchObject({ matches: true });
    const left = await entries();
    expect(left).toMatchObject([{ action: 'condition.check', details: { status: 200, event_id: eventId } }]);
    expect(JSON.stringify(left)).not.toContain('do-not-keep');
  });

  test('that does not exist is 404', async () => {
    const entries = auditTrail(gateway.database);
    await entries();
    expect(await check({ condition: 'true', event_id: unknownId })).toMatchObject({
      ...{ status: 404, body: { code: 'not_found' } },
    });
    expect(await entries()).toMatchObject([{ details: { status: 404, code: 'not_found', event_id: unknownId } }]);
  });
});

describe('refused', () => {
  const condition = 'true';
  test.each<[body: unknown, path: string, message: string]>([
    [{}, 'condition', 'is required'],
    [{ condition: null }, 'condition', 'must be a string'],
    [{ condition: '' }, 'condition', 'must not be blank; a condition is, for example, delivery_failed'],
    [{ condition: 'provider == 5' }, 'condition', 'line 1, column 13: expected a text in quotes, found 5'],
    [{ condition: 'true and\n(' }, 'condition', 'line 2, column 2: expected a condition, found the end'],
    [{ condition: 'x'.repeat(1001) }, 'condition', 'must have 1000 characters or fewer'],
    [{ condition: '"\0"' }, 'condition', 'must not contain NUL characters or lone surrogates'],
    [{ condition, event_id: 'nope' }, 'event_id', 'must be an id'],
    [{ condition, event_id: `${unknownId}0` }, 'event_id', 'must be an id'],
    [{ condition, event_id: null }, 'event_id', 'must be a string'],
    [{ condition, event_id: unknownId, variables: {} }, 'variables', 'must not be sent together with event_id'],
    [{ condition, variables: null }, 'variables', 'must be a JSON object'],
    [{ condition, variables: { provider: null } }, 'variables.provider', 'must be a string'],
    [{ condition, variables: { attempts: 1.5 } }, 'variables.attempts', 'must be a whole number'],
    [{ condition, variables: { delivery_failed: 'true' } }, 'variables.delivery_failed', 'must be a boolean'],
    [{ condition, variables: { headers: ['a'] } }, 'variables.headers', 'must be a JSON object'],
    [{ condition, variables: { headers: { a: 1 } } }, 'variables.headers.a', 'must be a string'],
    [{ condition, variables: { status: 'failed' } }, 'variables.status', 'is not a known field'],
    [{ condition, destination_id: unknownId }, 'destination_id', 'is not a known field'],
  ])('%j', async (body, path, message) => {
    const answer = await check(body);
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid' } });
    expect(answer.body.errors).toEqual([{ path, message }]);
  });
});
