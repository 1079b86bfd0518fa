import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sendgrid } from '../../src/providers/sendgrid.ts';
import { requestOf } from './request.ts';

const config = { tolerance_seconds: 300 };

describe('type, id and duplicates', () => {
  const event = (id: string, name = 'open') => ({ event: name, sg_event_id: id });
  const of = (payload: unknown) => {
    const request = requestOf({ body: JSON.stringify(payload) });
    const externalId = sendgrid.externalId(request, config);
    const key = sendgrid.dedupKey(request, externalId, config);
    return { type: sendgrid.eventType(request, config), id: externalId, key: key && Buffer.from(key).toString('hex') };
  };
  const generated = { id: expect.stringMatching(/^gen-/), own: false };

  test.each([
    ['one event', [event('a')], 'open', { id: 'a', own: true }],
    ['several of a type', [event('a'), event('b')], 'open', { id: 'a', own: true }],
    ['several of different types', [event('a'), event('b', 'click')], 'mixed', { id: 'a', own: true }],
    ['one event with a type and one without', [event('a'), {}], 'mixed', { id: 'a', own: true }],
    ['the first without an id', [{ event: 'open' }, event('b')], 'open', { id: 'b', own: true }],
    ['without ids', [{ event: 'open' }], 'open', generated],
    ['an object', event('a'), 'open', { id: 'a', own: true }],
    ['more than 1 MiB of events', Array(10_001).fill(event('a')), null, generated],
    ['none', [], null, generated],
    ['no events', [1, null, 'x', []], null, generated],
    ['inherited names', [JSON.parse('{"__proto__":{"event":"x","sg_event_id":"y"}}')], null, generated],
  ])('%s', (_, payload, type, id) => expect(of(payload)).toMatchObject({ type, id }));

  test('one event is recognised by its id, a batch by id and bytes', () => {
    expect(of([event('a')]).key).toBe(createHash('sha256').update('a').digest('hex'));
    expect(of([{ ...event('a'), more: 1 }]).key).toBe(of([event('a')]).key);
    expect(of([event('a'), event('b')]).key).toBe(of([event('a'), event('b')]).key);
    expect(of([event('a'), event('b')]).key).not.toBe(of([event('a'), event('c')]).key);
    expect(of([event('a'), event('b')]).key).not.toBe(of([event('a')]).key);
    expect(of([{ event: 'open' }]).key).toBe(null);
  });
});
