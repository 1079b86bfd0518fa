import { describe, expect, test } from 'vitest';
import { type Content, givenContent, storedContent } from '../../src/conditions/content.ts';
import { contentNeeds } from '../../src/conditions/content-needs.ts';
import { evaluate } from '../../src/conditions/evaluate.ts';
import { failed, treeOf } from './support.ts';

const contentOf = (body: string | Uint8Array | null, headers: [string, string][] = []): Content =>
  storedContent({ headers, body: typeof body === 'string' ? Buffer.from(body) : body });
const says = (text: string, content: Content) => evaluate(treeOf(text), failed, content);

const order = contentOf(
  JSON.stringify({
    ...{ amount: 150, price: 12.5, name: 'Müller 😀', paid: true, open: false, none: null, empty: '' },
    ...{ items: [{ sku: 'a-1' }, { sku: 'b-2', tags: [] }], 'odd-key': { x: { y: -3 } }, 'a.b': 1, '': 2 },
    ...{ in: 5, and: { or: 'not' }, contains: 'abc', payload: 'p', status: '150' },
  }),
  [
    ['X-GitHub-Event', 'push'],
    ['X-Many', 'one'],
    ['x-many', 'two'],
    ['Authorization', '[masked]'],
    ['Content-Length', '150'],
  ],
);

describe('values of the payload', () => {
  test.each<[text: string, matches: boolean]>([
    ['payload.amount > 100', true],
    ['payload.amount > 150', false],
    ['payload.amount >= 150', true],
    ['payload.amount < 150.5', true],
    ['payload.amount <= 149.99', false],
    ['100 < payload.amount', true],
    ['payload.amount == 150', true],
    ['payload.amount == 150.0', true],
    ['payload.amount != 151', true],
    ['payload.amount > payload.price', true],
    ['payload.price == 12.5', true],
    ['payload.price in [1, 12.50]', true],
    ['payload["odd-key"].x["y"] == -3', true],
    ["payload['odd-key']['x'].y < 0", true],
    ['payload["a.b"] == 1 and payload[""] == 2', true],
    ['payload.items[0].sku == "a-1"', true],
    ['payload.items[1].sku.startswith("b")', true],
    ['payload.items[1].sku.endswith("1")', false],
    ['payload.name.contains("ü") and payload.name.endswith("😀")', true],
    ['payload.in == 5 and payload.and.or == "not" and payload.payload == "p"', true],
    ['payload.contains.contains("b") and payload.contains == "abc"', true],
    ['payload.name in [1, true, "Müller 😀"]', true],
    ['payload.paid', true],
    ['not payload.paid', false],
    ['payload.paid == true and payload.open == false', true],
    // Only JSON true is met alone.
    ['payload.open', false],
    ['payload.amount', false],
    ['payload.name', false],
    ['payload.none', false],
    ['payload.missing', false],
    ['payload', false],
    // Another kind, null, an object, an array, or nothing there.
    ['payload.amount == "150"', false],
    ['payload.amount != "150"', true],
    ['payload.status == 150', false],
    ['payload.status > 100', false],
    ['payload.status < 1000', false],
    ['payload.paid == 1', false],
    ['payload.name > 0', false],
    ['payload.amount.contains("1")', false],
    ['payload.none == payload.none', false],
    ['payload.none != payload.none', true],
    ['payload.items == payload.items', false],
    ['payload.missing == payload.missing', false],
    ['payload.missing != 1', true],
    ['payload.missing < 1', false],
    ['payload.missing >= 1', false],
    ['payload.missing in [1]', false],
    ['payload.missing.contains("")', false],
    ['matches(payload.missing, "")', false],
    ['matches(payload.amount, "1")', false],
    // Compared with variables and headers.
    ['attempts < payload.amount', true],
    ['provider != payload.amount', true],
    ['payload.amount == header["content-length"]', false],
    ['payload.status == header["content-length"]', true],
    // Paths that are not there.
    ['exists(payload)', true],
    ['exists(payload.none)', true],
    ['exists(payload.items[1].tags)', true],
    ['exists(payload.items[2])', false],
    ['exists(payload.items["0"])', false],
    ['exists(payload.items.length)', false],
    ['exists(payload["odd-key"][0])', false],
    ['exists(payload.name.length)', false],
    ['exists(payload.name[0])', false],
    ['exists(payload.none.x)', false],
    ['exists(payload.toString)', false],
    ['exists(payload.__proto__)', false],
    ['exists(payload.constructor)', false],
  ])('%s: %s', (text, matches) => expect(says(text, order)).toBe(matches));
});

describe('headers', () => {
  test.each<[text: string, matches: boolean]>([
    ['header["x-github-event"] == "push"', true],
    ['header["X-GITHUB-EVENT"] == "push"', true],
    ['header["x-github-event"] != "Push"', true],
    ['header["x-many"] == "one, two"', true],
    ['header["x-many"].contains("two")', true],
    ['header["x-many"] in ["one", "one, two"]', true],
    ['header["authorization"] == "[masked]"', true],
    ['matches(header["x-github-event"], "^p.sh$")', true],
    ['exists(header["X-Many"])', true],
    ['exists(header["x-none"])', false],
    ['header["x-none"] == ""', false],
    ['header["x-none"] != ""', true],
    ['header["__proto__"] != ""', true],
  ])('%s: %s', (text, matches) => expect(says(text, order)).toBe(matches));
});

describe('patterns are found anywhere in a text', () => {
  test.each<[text: string, matches: boolean]>([
    ['matches(payload.name, "ll")', true],
    ['matches(payload.name, "^ll")', false],
    [String.raw`matches(payload.name, "^\\pL+ .$")`, true],
    ['matches(payload.name, "MÜLLER")', false],
    ['matches(payload.name, "(?i)MÜLLER")', true],
    ['matches(event_type, "^order[.](paid|created)$")', true],
    ['matches("abc", "b")', true],
    ['matches(payload.empty, "")', true],
    ['matches(payload.empty, "a")', false],
  ])('%s: %s', (text, matches) => expect(says(text, order)).toBe(matches));
});

describe('whole numbers beyond 2^53 are compared exactly', () => {
  const big = contentOf(
    '{"id":9007199254740993,"low":-12345678901234567890,"e":1e20,"huge":1e400,"list":[9007199254740993]}',
  );
  test.each<[text: string, matches: boolean]>([
    ['payload.id == 9007199254740993', true],
    ['payload.id == 9007199254740992', false],
    ['payload.id > 9007199254740992', true],
    ['payload.id < 9007199254740993.0', false],
    ['payload.id in [9007199254740992, 9007199254740993]', true],
    ['payload.list[0] == payload.id', true],
    ['payload.id > 12.5', true],
    ['payload.low == -12345678901234567890', true],
    ['payload.low < -12345678901234567889', true],
    ['payload.e == 100000000000000000000', true],
    [`payload.huge > ${'9'.repeat(500)}`, true],
  ])('%s: %s', (text, matches) => expect(says(text, big)).toBe(matches));
});

describe('bodies', () => {
  const exists = treeOf('exists(payload)');
  test.each<[name: string, body: string | Uint8Array | null, isJson: boolean]>([
    ['a number', '5', true],
    ['null', 'null', true],
    ['with white space', ' \n{} ', true],
    ['with a byte order mark', '\uFEFF{}', true],
    ['empty', '', false],
    ['none', null, false],
    ['text', 'hello', false],
    ['a form', 'a=1&b=2', false],
    ['JSON and more', '{}{}', false],
    ['JSON that is cut off', '{"a":1', false],
    ['not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), false],
    ['UTF-16', Buffer.from('{}', 'utf16le'), false],
    ['500 levels', '['.repeat(500) + ']'.repeat(500), true],
    ['99,999 values', `[${Array(99_998).fill(0).join()}]`, true],
    ['a million values without brackets', Array(1_000_000).fill(0).join(), false],
    ['a text of 5 MiB', JSON.stringify('x'.repeat(5 * 1024 * 1024)), true],
    ['a number of 100,000 digits', '1'.repeat(100_000), true],
  ])('%s', (_name, body, isJson) => expect(evaluate(exists, failed, contentOf(body))).toBe(isJson));

  test.each([
    ['501 levels', '['.repeat(501) + ']'.repeat(501)],
    ['100,000 levels', ` \n${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['100,000 open levels', '{"a":'.repeat(100_000)],
    ['a million values', `\uFEFF[${Array(1_000_000).fill(0).join()}]`],
  ])('%s: every condition that reads the body counts as met', (_name, body) => {
    for (const text of ['payload.a == 1', 'not exists(payload)', 'provider == "none" or payload.b'])
      expect(says(text, contentOf(body))).toBe(true);
    expect(says('provider == "none" and payload.a == 1', contentOf(body))).toBe(false);
  });
  test('the last of repeated keys wins', () => expect(says('payload.a == 2', contentOf('{"a":1,"a":2}'))).toBe(true));
  test('__proto__ is a key like any other', () => {
    const content = contentOf('{"__proto__":{"x":9007199254740993}}');
    expect(says('payload.__proto__.x == 9007199254740993', content)).toBe(true);
    expect(says('exists(payload.x) or exists(payload.__proto__.__proto__)', content)).toBe(false);
  });
  test('500 levels with a large number are read to the end', () => {
    const content = contentOf(`${'{"a":'.repeat(150)}9007199254740993${'}'.repeat(150)}`);
    expect(says(`payload${'.a'.repeat(150)} == 9007199254740993`, content)).toBe(true);
  });
  test('a body is read only when a condition needs it', () => {
    const unread = { headers: [], body: new Proxy(new Uint8Array(1), { get: () => expect.unreachable() }) };
    expect(says('provider == "generic" or payload.x', storedContent(unread))).toBe(true);
  });
});

test('given content has a payload only if one is given', () => {
  expect(says('exists(payload)', givenContent({}))).toBe(false);
  expect(says('exists(payload)', givenContent({ payload: null }))).toBe(true);
  expect(says('payload.a[0] == 1', givenContent({ payload: { a: [1] } }))).toBe(true);
  expect(says('header["x-a"] == "1"', givenContent({ headers: { 'X-A': '1' } }))).toBe(true);
});

test.each<[text: string, payload: boolean, headers: boolean]>([
  ['delivery_failed and not attempts in [1]', false, false],
  ['matches(provider, "a") or provider.contains("b")', false, false],
  ['true and (false or not payload.x)', true, false],
  ['5 < payload.x', true, false],
  ['exists(payload)', true, false],
  ['matches(header["a"], "a")', false, true],
  ['exists(header["a"]) and payload.x in [1]', true, true],
])('%s reads payload %s, headers %s', (text, payload, headers) =>
  expect(contentNeeds(treeOf(text))).toEqual({ payload, headers }),
);
