import { expect, test } from 'vitest';
import { BodyBudget } from '../../src/http/bodies/body-budget.ts';

const kib = 1024;
const totalBytes = 1024 * kib;

function budget() {
  const clock = { ms: 0 };
  const bodies = new BodyBudget(totalBytes, () => clock.ms);
  const dropped: string[] = [];
  /** Opens a body of a client that holds `bytes`. When it is dropped, `dropped` lists the client. */
  const open = (client: string, bytes: number) => {
    const holding = bodies.open(client, () => dropped.push(client));
    bodies.grow(holding, bytes);
    return holding;
  };
  return { bodies, clock, dropped, open };
}

test('one client holds at most a quarter of the budget, in bodies of any size', () => {
  const { open, bodies } = budget();
  open('a', 192 * kib);
  open('a', 64 * kib);
  expect(() => open('a', 1)).toThrow(/too many bodies/);
  open('b', 1);
  expect(bodies.heldBytes).toBe(256 * kib + 1);
});

test('large bodies hold at most three quarters of the budget, and small bodies the rest', () => {
  const { open } = budget();
  for (const client of ['a', 'b', 'c']) open(client, 256 * kib);
  expect(() => open('d', 65 * kib)).toThrow(/too many bodies/);
  for (let n = 0; n < 4; n++) open(`small-${n}`, 64 * kib);
  expect(() => open('e', 1)).toThrow(/too many bodies/);
});

test('a new body displaces the slowest body under the same limit, but none of the first two seconds', () => {
  const { open, bodies, clock, dropped } = budget();
  const first = open('a', 256 * kib);
  open('b', 256 * kib);
  open('c', 256 * kib);
  open('small', 64 * kib);
  clock.ms = 1_999;
  expect(() => open('d', 65 * kib)).toThrow(/too many bodies/);
  clock.ms = 5_000;
  bodies.arrived(first, 10);
  open('d', 65 * kib);
  // Nothing arrived from b and c, so one of them is dropped. Body a made progress; the small body counts elsewhere.
  expect(dropped).toEqual(['b']);
});

test('a growing body displaces slower bodies only', () => {
  const { open, bodies, clock, dropped } = budget();
  const slow = open('a', 128 * kib);
  const fast = open('a', 128 * kib);
  clock.ms = 10_000;
  bodies.arrived(fast, 1_000);
  expect(() => bodies.grow(slow, 129 * kib)).toThrow(/too many bodies/);
  bodies.grow(fast, 129 * kib);
  expect(dropped).toEqual(['a']);
  expect(bodies.heldBytes).toBe(129 * kib);
});

test('a complete body is counted until it is released, and releasing it twice counts once', () => {
  const { open, bodies, clock } = budget();
  const whole = open('a', 256 * kib);
  whole.isReading = false;
  clock.ms = 60_000;
  expect(() => open('a', 1)).toThrow(/too many bodies/);
  bodies.release(whole);
  bodies.release(whole);
  expect(bodies.heldBytes).toBe(0);
  open('a', 256 * kib);
});
