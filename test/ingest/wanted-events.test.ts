import { expect, test } from 'vitest';
import type { ConsumerSettings } from '../../src/accounts/address-reads.ts';
import { wantedEvents } from '../../src/ingest/wanted-events.ts';

const consumer = (name: string, fields: Partial<ConsumerSettings> = {}): ConsumerSettings => ({
  ...{ id: name === 'default' ? null : `id of ${name}`, name, enabled: true, condition: null },
  ...fields,
});

const webhook = (payload: unknown = {}, headers: [string, string][] = []) => ({
  ...{ provider: 'stripe', accountSlug: 'shop', appKey: 'app', eventType: 'invoice.paid', externalId: 'evt_1' },
  ...{ headers, body: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)) },
});

const never = () => {
  throw new Error('the webhook was read');
};

test('without conditions, each enabled consumer gets an event, and the webhook is not read', () => {
  expect(wantedEvents({ consumers: [consumer('default')] }, never)).toEqual({
    ...{ consumerIds: [null], unmatched: null, exceeded: [] },
  });
  const consumers = [consumer('default'), consumer('off', { enabled: false }), consumer('on')];
  expect(wantedEvents({ consumers }, never).consumerIds).toEqual([null, 'id of on']);
  expect(wantedEvents({ consumers: [consumer('default', { enabled: false })] }, never).consumerIds).toEqual([]);
});

test('a condition decides for its consumer, and those that do not match are named', () => {
  const consumers = [
    consumer('default', { condition: 'event_type == "ping"' }),
    consumer('large', { condition: 'payload.amount > 100' }),
    consumer('small', { condition: 'payload.amount <= 100' }),
    consumer('header', { condition: 'header["x-kind"] == "a, b"' }),
  ];
  const read = () =>
    webhook({ amount: 500 }, [
      ['X-Kind', 'a'],
      ['x-kind', 'b'],
    ]);
  expect(wantedEvents({ consumers }, read)).toEqual({
    ...{ consumerIds: ['id of large', 'id of header'], unmatched: ['default', 'small'], exceeded: [] },
  });
});

test('a body that is no JSON has no payload', () => {
  const consumers = [
    consumer('default', { condition: 'payload.a != 1' }),
    consumer('equal', { condition: 'payload.a == 1' }),
    consumer('exists', { condition: 'exists(payload.a)' }),
  ];
  expect(wantedEvents({ consumers }, () => webhook('<xml>'))).toMatchObject({
    ...{ consumerIds: [null], unmatched: ['equal', 'exists'] },
  });
});

test('a condition on a body that is too large to be parsed counts as met, and is named', () => {
  const consumers = [
    consumer('default', { condition: 'event_type == "ping"' }),
    consumer('large', { condition: 'payload.a == 1' }),
  ];
  expect(wantedEvents({ consumers }, () => webhook(Array(100_001).fill(0)))).toMatchObject({
    ...{ consumerIds: ['id of large'], unmatched: ['default'], exceeded: ['large'] },
  });
});

test('a condition that needs too much work counts as met, and is named', () => {
  const long = 'a'.repeat(9_000);
  const consumers = [
    consumer('default', { condition: 'event_type == "ping"' }),
    consumer('slow', { condition: 'matches(payload.text, "b$")' }),
  ];
  expect(wantedEvents({ consumers }, () => webhook({ text: long }))).toEqual({
    ...{ consumerIds: ['id of slow'], unmatched: ['default'], exceeded: ['slow'] },
  });
});

test('a condition that does not parse counts as met', () => {
  const consumers = [consumer('default', { condition: 'future(syntax)' })];
  expect(wantedEvents({ consumers }, webhook).consumerIds).toEqual([null]);
});
