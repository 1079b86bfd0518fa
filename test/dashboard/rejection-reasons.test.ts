import { expect, test } from 'vitest';
import { rejectionReasons } from '../../src/providers/provider.ts';

// Scripts of the browser are JavaScript, so the import has no types.
const { meaningOf } = await import(new URL('../../src/dashboard/browser/rejection-reasons.js', import.meta.url).href);

test('the dashboard has a hint for each rejection reason of an account', () => {
  // Without an account there is no event to show.
  for (const reason of Object.keys(rejectionReasons))
    if (reason !== 'unknown_provider') expect(meaningOf(reason)).toMatch(new RegExp(`^${reason} – .{10}`));
  expect(meaningOf('something_newer')).toBe('something_newer');
});
