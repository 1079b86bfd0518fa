import { expect, test } from 'vitest';
import { meaningOf } from '../../src/dashboard/browser/rejection-reasons.js';
import { rejectionReasons } from '../../src/providers/provider.ts';

test('the dashboard says what to do about each reason that an account can cause', () => {
  // Without an account there is no event to be looked at.
  for (const reason of Object.keys(rejectionReasons))
    if (reason !== 'unknown_provider') expect(meaningOf(reason)).toMatch(new RegExp(`^${reason} – .{10}`));
  expect(meaningOf('something_newer')).toBe('something_newer');
});
