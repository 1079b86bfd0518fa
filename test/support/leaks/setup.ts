import { afterAll } from 'vitest';
import { reportOf } from './markers.ts';
import { takeLeaks, watchFetch } from './watch.ts';

// After every test file: checks that its gateways wrote no secret of the tests.

watchFetch();
afterAll(() => {
  const leaks = takeLeaks();
  if (leaks.length > 0) throw new Error(reportOf(leaks));
});
