import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/conditions/evaluate.ts';
import type { Variables } from '../../src/conditions/tree.ts';
import { failed, treeOf } from './support.ts';

const says = (text: string, variables: Partial<Variables> = {}) => evaluate(treeOf(text), { ...failed, ...variables });

describe('of an event that failed', () => {
  test.each<[text: string, matches: boolean]>([
    ['delivery_failed', true],
    ['not delivery_failed', false],
    ['delivery_failed == true', true],
    ['delivery_failed != TRUE', false],
    ['delivery_failed in [false]', false],
    ['delivery_failed and provider == "generic"', true],
    ['delivery_failed and provider == "support_chat"', false],
    ['delivery_failed and event_type.startswith("order.")', true],
    ['delivery_failed and event_type.startswith("Order.")', false],
    ['event_type.startswith("")', true],
    ['event_type.startswith("rder")', false],
    ['event_type.endswith(".paid")', true],
    ['event_type.endswith("order")', false],
    ['event_type.contains("r.p")', true],
    ['event_type.contains("x")', false],
    ['"order.paid.late".contains("paid")', true],
    ['provider == "Generic"', false],
    ['provider != "Generic"', true],
    ['account_slug == app_key', false],
    ['account_slug == "shop" and app_key == "my-app"', true],
    ['attempts == 10', true],
    ['attempts in [1, 2, 10]', true],
    ['attempts in [1, 2]', false],
    ['response_code == 503', true],
    ['response_code != 503', false],
    ['true or false and false', true],
    ['(true or false) and false', false],
    ['not false and false', false],
    ['not (false and false)', true],
    ['not not true', true],
    ['false or false or true', true],
    ['true and true and false', false],
  ])('%s: %s', (text, matches) => expect(says(text)).toBe(matches));
});

test.each([[true], [false]])('delivery_failed %s', (delivery_failed) =>
  expect([says('delivery_failed', { delivery_failed }), says('not delivery_failed', { delivery_failed })]).toEqual([
    delivery_failed,
    !delivery_failed,
  ]),
);

describe('null equals nothing', () => {
  test.each<[text: string, matches: boolean]>([
    ['event_type == ""', false],
    ['event_type != ""', true],
    ['event_type == "null"', false],
    ['event_type == event_type', false],
    ['event_type != event_type', true],
    ['provider == event_type', false],
    ['provider != event_type', true],
    ['event_type in [""]', false],
    ['not event_type in [""]', true],
    ['event_type.startswith("")', false],
    ['event_type.endswith("")', false],
    ['event_type.contains("")', false],
    ['response_code == 0', false],
    ['response_code != 0', true],
    ['response_code in [0]', false],
  ])('%s: %s', (text, matches) => expect(says(text, { event_type: null, response_code: null })).toBe(matches));
});
