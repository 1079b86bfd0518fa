import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/admin-client.ts';
import { listItemOf } from '../support/list-item.ts';
import { rawRequest } from '../support/raw-http.ts';
import { eventsOf, storedEvent } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

const operations = ['ack', 'fail', 'replay', 'retry'] as const;
type Name = (typeof operations)[number];
const pathOf = (name: Name, id: string) =>
  name === 'retry' ? `/admin/delivery/retry/${id}` : `/admin/events/${id}/${name}`;
const operate = (name: Name, id: string, body?: unknown) => gateway.admin.post(pathOf(name, id), body);

/** Stores a pending event of a new account. */
async function pending() {
  const account = await gateway.admin.createAccount({});
  const { body } = await gateway.send(account, 'x');
  return { account, id: body.id as string };
}

async function rejected() {
  const account = await gateway.admin.createAccount({ skip_signature_verification: false });
  expect((await gateway.send(account, 'x')).status).toBe(401);
  const [event] = await eventsOf(gateway.database, account.id);
  return { account, id: event?.id as string };
}

const commands = (id: string) =>
  gateway.rows('select kind, generation, number, dead from event_commands where event_id = $1 order by id', [id]);
const queued = async (id: string) =>
  (await gateway.rows('select generation, lane from event_queue where event_id = $1', [id]))[0];
/** Checks that the answer is the event as the lists show it, and that it is stored like this. */
async function expectEvent(answer: Answer, status: number, fields: Record<string, unknown>, id: string) {
  expect(answer.status).toBe(status);
  const item = listItemOf(await gateway.admin.event(id));
  expect(answer.body).toEqual(item);
  expect(item).toMatchObject(fields);
}
const expectProblem = (answer: Answer, status: number, code: string) => {
  expect(answer).toMatchObject({ status, body: { status, code, type: 'about:blank' } });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
};

describe('ack', () => {
  test('of a pending event ends its delivery and signals its workflow', async () => {
    const { id } = await pending();
    const answer = await operate('ack', id);
    const fields = { status: 'processed', delivery_status: 'delivered', delivered_at: expect.any(String) };
    await expectEvent(answer, 200, { ...fields, next_attempt_at: null, attempts: 0, generation: 0 }, id);
    expect(await commands(id)).toEqual([{ kind: 'ack', generation: 0, number: null, dead: null }]);
    const again = await operate('ack', id);
    await expectEvent(again, 200, { ...fields, delivered_at: answer.body.delivered_at }, id);
    expect(await commands(id)).toHaveLength(1);
  });
  test('of a dead event does not change its delivery', async () => {
    const { id } = await pending();
    await operate('fail', id, { dead: true });
    await expectEvent(await operate('ack', id), 200, { status: 'processed', delivery_status: 'failed' }, id);
  });
});

describe('fail', () => {
  test('stores the error, and attempts continue', async () => {
    const { id } = await pending();
    const answer = await operate('fail', id, { error: 'the consumer says no' });
    const fields = { status: 'failed', delivery_status: 'pending', last_error: 'the consumer says no' };
    await expectEvent(answer, 200, fields, id);
    expect(await commands(id)).toEqual([{ kind: 'fail', generation: 0, number: null, dead: false }]);
    expect(await queued(id)).toMatchObject({ generation: 0 });
  });
  test('dead ends the delivery', async () => {
    const { id } = await pending();
    const answer = await operate('fail', id, { error: 'never', dead: true });
    const fields = { status: 'dead', delivery_status: 'failed', last_error: 'never', next_attempt_at: null };
    await expectEvent(answer, 200, fields, id);
    expect(await commands(id)).toEqual([{ kind: 'fail', generation: 0, number: null, dead: true }]);
  });
  test.each<[name: string, body: unknown, fields: Record<string, unknown>]>([
    ['no body', undefined, { status: 'failed', last_error: null }],
    ['an empty object', {}, { status: 'failed', last_error: null }],
    ['null', null, { status: 'failed', last_error: null }],
    ['dead false', { dead: false }, { status: 'failed', last_error: null }],
    ['a null error', { error: null }, { status: 'failed', last_error: null }],
    ['2,000 characters', { error: 'x'.repeat(2000) }, { last_error: 'x'.repeat(2000) }],
    ['characters beyond ASCII', { error: 'nö 😕' }, { last_error: 'nö 😕' }],
  ])('accepts %s', async (_name, body, fields) => {
    const { id } = await pending();
    await expectEvent(await operate('fail', id, body), 200, { ...fields, delivery_status: 'pending' }, id);
  });
  test('accepts a content type without a body', async () => {
    const { id } = await pending();
    const headers = { 'x-admin-token': gateway.adminToken, 'content-type': 'application/json' };
    expect((await rawRequest(gateway.baseUrl, { path: pathOf('fail', id), headers })).status).toBe(200);
  });
  test.each<[body: unknown, path: string, message: string]>([
    [{ dead: 'yes' }, 'dead', 'must be a boolean'],
    [{ dead: null }, 'dead', 'must be a boolean'],
    [{ error: 7 }, 'error', 'must be a string'],
    [{ error: 'a\0' }, 'error', 'must not contain NUL characters or lone surrogates'],
    [{ error: 'x'.repeat(2001) }, 'error', 'must have 2000 characters or fewer'],
    [{ reason: 'x' }, 'reason', 'is not a known field'],
    [[], '', 'must be a JSON object'],
    ['text', '', 'must be a JSON object'],
  ])('%j is 422', async (body, path, message) => {
    const { id } = await pending();
    const answer = await operate('fail', id, body);
    expectProblem(answer, 422, 'invalid');
    expect(answer.body.errors).toEqual([{ path, message }]);
    expect(await storedEvent(gateway.database, id)).toMatchObject({ status: 'received', last_error: null });
  });
  test.each([
    ['{"dead":', 'application/json', 400, 'malformed_json'],
    ['dead=true', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['{"dead":true}', 'text/plain', 415, 'unsupported_media_type'],
  ])('%s as %s is %i', async (body, type, status, code) => {
    const { id } = await pending();
    const headers = { 'x-admin-token': gateway.adminToken, 'content-type': type };
    const answer = await rawRequest(gateway.baseUrl, { path: pathOf('fail', id), headers, body });
    expect(answer).toMatchObject({ status, body: { status, code } });
    expect(await storedEvent(gateway.database, id)).toMatchObject({ status: 'received', delivery_status: 'pending' });
  });
});

describe('replay', () => {
  const fresh = { status: 'received', delivery_status: 'pending', attempts: 0, last_error: null, delivered_at: null };
  test('starts a new generation', async () => {
    const { id } = await pending();
    await expectEvent(await operate('replay', id), 202, { ...fresh, generation: 1 }, id);
    await expectEvent(await operate('replay', id), 202, { ...fresh, generation: 2 }, id);
    expect(await queued(id)).toEqual({ generation: 2, lane: 0 });
  });
  test.each<[state: string, to: () => [Name, unknown]]>([
    ['processed', () => ['ack', undefined]],
    ['failed', () => ['fail', { error: 'old' }]],
    ['dead', () => ['fail', { error: 'old', dead: true }]],
  ])('revives an event that is %s', async (state, to) => {
    const { id } = await pending();
    const [name, body] = to();
    expect((await operate(name, id, body)).body.status).toBe(state);
    await expectEvent(await operate('replay', id), 202, { ...fresh, generation: 1 }, id);
    expect(await queued(id)).toEqual({ generation: 1, lane: 0 });
  });
  test('20 concurrent replays start 20 generations', async () => {
    const { id } = await pending();
    const answers = await Promise.all(Array.from({ length: 20 }, () => operate('replay', id)));
    expect(answers.map((answer) => answer.body.generation).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });
  test('of an event of a disabled account is accepted', async () => {
    const { account, id } = await pending();
    await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { enabled: false });
    await expectEvent(await operate('replay', id), 202, { ...fresh, generation: 1 }, id);
  });
});

describe('retry', () => {
  test('requests a manual attempt and changes no state', async () => {
    const { id } = await pending();
    const before = (await gateway.admin.event(id)) as Record<string, unknown>;
    const { status, delivery_status, attempts, generation } = before;
    for (const number of [1, 2]) {
      await expectEvent(await operate('retry', id), 202, { status, delivery_status, attempts, generation }, id);
      expect((await commands(id))[number - 1]).toEqual({ kind: 'retry', generation: 0, number, dead: null });
    }
  });
  test('of a dead event is 409', async () => {
    const { id } = await pending();
    await operate('fail', id, { dead: true });
    expectProblem(await operate('retry', id), 409, 'event_dead');
    expect((await commands(id)).map((command) => command.kind)).toEqual(['fail']);
  });
  test('of an event of a disabled account is 409', async () => {
    const { account, id } = await pending();
    await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { enabled: false });
    expectProblem(await operate('retry', id), 409, 'conflict');
  });
});

describe('a rejected event', () => {
  test('cannot be replayed or retried', async () => {
    const { id } = await rejected();
    for (const name of ['replay', 'retry'] as const) expectProblem(await operate(name, id), 409, 'event_rejected');
    expect(await queued(id)).toBeUndefined();
  });
  test.each<[Name, unknown, string]>([
    ['ack', undefined, 'processed'],
    ['fail', {}, 'failed'],
    ['fail', { dead: true }, 'dead'],
  ])('is still rejected after %s %j', async (name, body, status) => {
    const { id } = await rejected();
    const fields = { status, delivery_status: null, delivered_at: null, rejection_reason: 'no_secret_configured' };
    await expectEvent(await operate(name, id, body), 200, fields, id);
    for (const after of ['replay', 'retry'] as const) expectProblem(await operate(after, id), 409, 'event_rejected');
    expect(await commands(id)).toEqual([]);
  });
});

describe('the deletion of an account', () => {
  test('signals the workflows that were started', async () => {
    const { account, id } = await pending();
    await gateway.database.pool.query('update events set started_generation = 0 where id = $1', [id]);
    await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
    expect((await commands(id)).map((command) => command.kind)).toEqual(['account_deleted']);
  });

  test('ends the deliveries of its events, which remain readable', async () => {
    const { account, id } = await pending();
    await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
    expect(await gateway.admin.event(id)).toMatchObject({
      ...{ status: 'received', delivery_status: 'failed', last_error: 'account_deleted', payload: 'x' },
    });
    for (const name of ['replay', 'retry'] as const) expectProblem(await operate(name, id), 409, 'conflict');
    // The event has no workflow yet that has to be signaled.
    expect(await commands(id)).toEqual([]);
    await expectEvent(await operate('ack', id), 200, { status: 'processed', delivery_status: 'failed' }, id);
    await expectEvent(await operate('fail', id, {}), 200, { status: 'failed', delivery_status: 'failed' }, id);
  });
});

test.each(operations)('%s of an unknown event is 404', async (name) => {
  for (const id of ['01900000-0000-7000-8000-000000000000', 'nope', '%00', '%'])
    expectProblem(await operate(name, id), 404, 'not_found');
});

test.each(operations)('%s is only accepted as POST', async (name) => {
  const { id } = await pending();
  const answer = await gateway.admin.request('GET', pathOf(name, id));
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toBe('POST');
});
