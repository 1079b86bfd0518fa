import { expect, test } from 'vitest';
import { idRange } from '../../src/events/id-range.ts';

test('the range of some ids is that of their milliseconds, so that siblings are inside', () => {
  const ids = ['01a1fb5c-32dd-7658-a59f-f1f2e11f4782', '01a1fb5c-32dc-7fff-a59f-f1f2e11f4782'];

  expect(idRange(ids)).toEqual(['01a1fb5c-32dc-0000-0000-000000000000', '01a1fb5c-32dd-ffff-ffff-ffffffffffff']);
});

test('no ids have no range', () => {
  expect(idRange([])).toEqual([null, null]);
});
