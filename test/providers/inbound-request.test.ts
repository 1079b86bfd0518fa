import { expect, test } from 'vitest';
import { requestOf } from './request.ts';

test('headers keep order and case, and are found in any case', () => {
  const request = requestOf({
    headers: [
      ['B-Two', '1'],
      ['a-one', '2'],
      ['b-TWO', '3'],
      ['__proto__', '4'],
    ],
  });
  expect(request.headers).toEqual([
    ['B-Two', '1'],
    ['a-one', '2'],
    ['b-TWO', '3'],
    ['__proto__', '4'],
  ]);
  expect(request.header('B-TWO')).toBe('1');
  expect(request.headerValues('b-two')).toEqual(['1', '3']);
  expect(request.header('__proto__')).toBe('4');
  expect(request.header('constructor')).toBe(null);
});

test('json is what the body is, undefined where it is none', () => {
  expect(requestOf({ body: 'null' }).json()).toBe(null);
  expect(requestOf({ body: ' [1] ' }).json()).toEqual([1]);
  for (const body of ['', '{', 'a=1', new Uint8Array([0x22, 0xff, 0x22])]) {
    expect(requestOf({ body }).json()).toBe(undefined);
  }
});

test('is parsed once', () => {
  const request = requestOf({ body: '{"a":1}', query: 'a=1' });
  expect(request.json()).toBe(request.json());
  expect(request.query).toBe(request.query);
});
