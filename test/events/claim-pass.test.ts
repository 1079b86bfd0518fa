import { expect, test } from 'vitest';
import { ClaimPass } from '../../src/events/claim-pass.ts';
import { lowestId } from '../../src/events/queue.ts';

const [first, second] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'];

test('a pass over several pages that finds nothing ends after the last', () => {
  const pass = new ClaimPass();
  for (let n = 0; n < 2; n++) {
    expect(pass.after).toBe(lowestId);
    expect(pass.goOn({ claimed: 0, next: first })).toBe(true);
    expect(pass.after).toBe(first);
    expect(pass.goOn({ claimed: 0, next: null })).toBe(false);
  }
});

test('a pass that has served consumers begins again with the first, until it serves none', () => {
  const pass = new ClaimPass();
  expect(pass.goOn({ claimed: 1, next: first })).toBe(true);
  expect(pass.goOn({ claimed: 1, next: second })).toBe(true);
  expect(pass.goOn({ claimed: 0, next: null })).toBe(true);
  expect(pass.after).toBe(lowestId);
  expect(pass.goOn({ claimed: 0, next: first })).toBe(true);
  expect(pass.goOn({ claimed: 0, next: null })).toBe(false);
});

test('a claim that has taken all there is begins no other pass', () => {
  const pass = new ClaimPass();
  expect(pass.goOn({ claimed: 3, next: null })).toBe(false);
  expect(pass.after).toBe(lowestId);
});
