import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generic } from '../../src/providers/generic.ts';
import { fixture, receivedAt, requestOf } from './request.ts';

const idOf = (body: string | Uint8Array) => generic.externalId(requestOf({ body }), {});
const typeOf = (body: string | Uint8Array) => generic.eventType(requestOf({ body }), {});
const generated = /^gen-1772366400123-[0-9a-f]{16}$/;

describe('external id', () => {
  const own: [body: string, id: string][] = [
    ['{"id":"a"}', 'a'],
    ['{"_id":"g","uuid":"f","event_id":"e","eventId":"d","message_id":"c","messageId":"b","id":"a"}', 'a'],
    ['{"_id":"g","uuid":"f","event_id":"e","eventId":"d","message_id":"c","messageId":"b"}', 'b'],
    ['{"_id":"g","uuid":"f","event_id":"e","eventId":"d","message_id":"c"}', 'c'],
    ['{"_id":"g","uuid":"f","event_id":"e","eventId":"d"}', 'd'],
    ['{"_id":"g","uuid":"f","event_id":"e"}', 'e'],
    ['{"_id":"g","uuid":"f"}', 'f'],
    ['{"_id":"g"}', 'g'],
    ['{"id":"","messageId":null,"message_id":{},"eventId":["x"],"event_id":true,"uuid":"u"}', 'u'],
    ['{"id":0}', '0'],
    ['{"id":-0}', '0'],
    ['{"id":42.50}', '42.5'],
    ['{"id":9007199254740991}', '9007199254740991'],
    ['{"id":9007199254740993}', '9007199254740993'],
    ['{"a":{"id":1e999},"id" : -12345678901234567890123 ,"b":[{"id":5}]}', '-12345678901234567890123'],
    ['{"id":1E400}', '1E400'],
    ['{"id":1,"id":9007199254740993}', '9007199254740993'],
    ['{"\\u0069d":9007199254740993}', '9007199254740993'],
    ['{"__proto__":{"id":"inherited"},"uuid":"own"}', 'own'],
    ['\ufeff{"id":"behind a byte order mark"}', 'behind a byte order mark'],
    ['{"id":" "}', ' '],
    ['{"id":"a\\u0000b"}', 'a\ufffdb'],
    ['{"id":"\\ud800x"}', '\ufffdx'],
    ['{"id":"gen-1-2"}', 'gen-1-2'],
  ];
  test.each(own)('%s is %s', (body, id) => expect(idOf(body)).toEqual({ id, own: true }));

  test.each([
    '',
    ' ',
    '[]',
    '[{"id":"a"}]',
    '"id"',
    '7',
    'null',
    '{}',
    '{"id":',
    "{'id':'a'}",
    'id=7&type=x',
    '<id>7</id>',
    '{"data":{"id":"a"}}',
    '{"id":true}',
    '{"id":""}',
    '{"__proto__":{"id":"a"}}',
  ])('%j gets a generated id', (body) => {
    expect(idOf(body)).toEqual({ id: expect.stringMatching(generated), own: false });
  });

  test('invalid UTF-8 gets a generated id', () => {
    const body = Buffer.from('{"id":"caf\xe9"}', 'latin1');
    expect(idOf(body)).toEqual({ id: expect.stringMatching(generated), own: false });
    expect(typeOf(body)).toBe(null);
  });

  test('a generated id consists of the time of receipt and the hash of the bytes', () => {
    // printf '' | sha256sum
    expect(idOf('').id).toBe(`gen-${receivedAt.getTime()}-e3b0c44298fc1c14`);
  });

  test('an id is cut to 255 whole characters', () => {
    expect(idOf(`{"id":"${'x'.repeat(256)}"}`).id).toBe('x'.repeat(255));
    expect(idOf(`{"id":"${'x'.repeat(1_000_000)}"}`).id).toBe('x'.repeat(255));
    expect(idOf(`{"id":"${'🎁'.repeat(300)}"}`).id).toBe('🎁'.repeat(255));
    expect(idOf(`{"id":"x${'🎁'.repeat(300)}"}`).id).toBe(`x${'🎁'.repeat(254)}`);
    expect(idOf(`{"id":${'9'.repeat(300)}}`).id).toBe('9'.repeat(255));
  });

  test('a number that would lose digits is ignored where reading its digits costs too much', () => {
    const padded = (id: string, bytes: number) => `{"id":${id}${' '.repeat(bytes - id.length - 7)}}`;
    expect(idOf(padded('9007199254740993', 65_536))).toEqual({ id: '9007199254740993', own: true });
    expect(idOf(padded('9007199254740993', 65_537))).toEqual({ id: expect.stringMatching(generated), own: false });
    expect(idOf(padded('9007199254740991', 65_537))).toEqual({ id: '9007199254740991', own: true });
    // So deep that a parse with a reviver exhausts the stack.
    const deep = `{"id":9007199254740993,"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect(idOf(deep)).toEqual({ id: expect.stringMatching(generated), own: false });
  });
});

describe('event type', () => {
  const cases: [body: string, type: string | null][] = [
    ['{"eventType":"d","event_type":"c","event":"b","type":"a"}', 'a'],
    ['{"eventType":"d","event_type":"c","event":"b"}', 'b'],
    ['{"eventType":"d","event_type":"c"}', 'c'],
    ['{"eventType":"d"}', 'd'],
    ['{"type":7,"event":{"type":"x"},"event_type":null,"eventType":"Kept As Is/é"}', 'Kept As Is/é'],
    ['{"type":"nul\\u0000"}', 'nul\ufffd'],
    [`{"type":"${'t'.repeat(300)}"}`, 't'.repeat(255)],
    ['{"__proto__":{"type":"inherited"}}', null],
    ['{}', null],
    ['["type"]', null],
    ['type=x', null],
    ['', null],
  ];
  test.each(cases)('%s is %s', (body, type) => expect(typeOf(body)).toBe(type));
});

test.each([
  ['order-created.json', 'order.created', 'ord_8F3kQz19'],
  ['build-finished.json', 'build.finished', '9007199254740993001'],
  ['legacy.xml', null, expect.stringMatching(generated)],
  ['form.txt', null, expect.stringMatching(generated)],
])('fixture %s', (file, type, id) => {
  const body = fixture(`generic/${file}`);
  expect([typeOf(body), idOf(body).id]).toEqual([type, id]);
});

describe('properties', () => {
  const idNames = ['id', 'messageId', 'message_id', 'eventId', 'event_id', 'uuid', '_id'];
  const anyText = fc.string({ unit: 'binary', maxLength: 600 });
  const fields = fc.dictionary(
    fc.oneof(fc.constantFrom(...idNames, 'type', '__proto__'), anyText),
    fc.oneof(anyText, fc.jsonValue()),
  );
  const bodies = fc.oneof(
    fields.map((value) => Buffer.from(JSON.stringify(value))),
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array(),
  );

  test('any bytes have an id of 1 to 255 characters that PostgreSQL can store', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const { id } = idOf(body);
        const type = typeOf(body);
        const length = Array.from(id).length;
        expect(length >= 1 && length <= 255 && id.isWellFormed() && !id.includes('\0')).toBe(true);
        expect(type === null || (Array.from(type).length <= 255 && type.isWellFormed() && !type.includes('\0'))).toBe(
          true,
        );
      }),
    );
  });

  test('an id from the body depends only on the bytes', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const first = idOf(body);
        expect(idOf(body.slice())).toEqual(first);
        if (!first.own) expect(first.id).toMatch(generated);
      }),
    );
  });

  test('the first usable field by the documented order is used, at any position in the body', () => {
    const usable = fc.oneof(fc.string({ minLength: 1, maxLength: 40 }), fc.maxSafeInteger());
    const unusable = fc.constantFrom<unknown>('', null, true, false, [], {}, ['x']);
    const field = fc.oneof(usable, unusable);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...idNames), field), fc.boolean(), (values, reversed) => {
        const entries = Object.entries(values);
        const found = idNames
          .map((name) => values[name])
          .find((value) => typeof value === 'number' || (typeof value === 'string' && value !== ''));
        const { id, own } = idOf(JSON.stringify(Object.fromEntries(reversed ? entries.reverse() : entries)));
        expect(own).toBe(found !== undefined);
        if (found !== undefined) expect(id).toBe(String(found));
      }),
    );
  });

  test('integers of any size keep their digits', () => {
    fc.assert(fc.property(fc.bigInt(), (id) => idOf(`{"x":{"id":1}, "id": ${id}}`).id === `${id}`));
  });
});
