import { expect, test } from 'vitest';
import { requestOf } from './request.ts';

test('headers keep order and letter case, and are found in any letter case', () => {
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

test('json is the parsed body, and undefined if the body is not JSON', () => {
  expect(requestOf({ body: 'null' }).json()).toBe(null);
  expect(requestOf({ body: ' [1] ' }).json()).toEqual([1]);
  for (const body of ['', '{', 'a=1', new Uint8Array([0x22, 0xff, 0x22])]) {
    expect(requestOf({ body }).json()).toBe(undefined);
  }
});

test('the body is parsed once', () => {
  const request = requestOf({ body: '{"a":1}', query: 'a=1' });
  expect(request.json()).toBe(request.json());
  expect(request.query).toBe(request.query);
});

test('form has the fields of a form, and is null for other types, invalid bytes and more than 1000 fields', () => {
  const formOf = (body: string | Uint8Array, type = 'application/x-www-form-urlencoded; charset=UTF-8') =>
    requestOf({ headers: [['Content-Type', type]], body }).form();
  expect([...(formOf('a=%C3%AB+1&b=&a=2') ?? [])]).toEqual([
    ['a', 'ë 1'],
    ['b', ''],
    ['a', '2'],
  ]);
  expect(formOf('')?.size).toBe(0);
  expect(formOf('a=1', 'text/plain')).toBe(null);
  expect(formOf(new Uint8Array([0x61, 0x3d, 0xff]))).toBe(null);
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=1`).join('&');
  expect(formOf(fields(1000))?.size).toBe(1000);
  expect(formOf(fields(1001))).toBe(null);
});
