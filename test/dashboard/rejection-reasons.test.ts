import { expect, test } from 'vitest';
import { rejectionReasons } from '../../src/providers/provider.ts';

// What browsers run is no TypeScript, so it has no types here.
const { meaningOf } = await import(new URL('../../src/dashboard/browser/rejection-reasons.js', import.meta.url).href);

test('the dashboard says what to do about each reason that an account can cause', () => {
  // Without an account there is no event to be looked at.
  for (const reason of Object.keys(rejectionReasons))
    if (reason !== 'unknown_provider') expect(meaningOf(reason)).toMatch(new RegExp(`^${reason} – .{10}`));
  expect(meaningOf('something_newer')).toBe('something_newer');
});
